import { Notice } from "@/components/ui/notice";
import type { SettingsPage } from "@/lib/practice/practices/staff-queries";
import { deprecationEffect as text } from "./messages/practice";

/** Announces what saving does immediately: legacy insurance stops working, or works again. */
export function ClockEffect({ willEnd, users }: { willEnd: boolean; users: SettingsPage["users"] }) {
  const clients = users.map(({ client_name }) => client_name);
  if (!willEnd)
    return (
      <Notice live title={text.restored}>
        {text.restoredHelp}
      </Notice>
    );
  return (
    <Notice tone="warning" live title={text.ended}>
      <p>{clients.length > 0 ? text.endedUsed(clients) : text.endedUnused}</p>
    </Notice>
  );
}
