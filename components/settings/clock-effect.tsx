import { formatList, pluralize } from "@/components/ui/format";
import { Notice } from "@/components/ui/notice";
import type { SettingsPage } from "@/lib/practice/practices/staff-queries";

/** Announces what saving does immediately: legacy insurance stops working, or works again. */
export function ClockEffect({ willEnd, users }: { willEnd: boolean; users: SettingsPage["users"] }) {
  const names = formatList(users.map(({ client_name }) => client_name));
  if (!willEnd)
    return (
      <Notice live title="Legacy insurance works again">
        As soon as you save, writes that contain insurance are accepted again and reads include it.
      </Notice>
    );
  return (
    <Notice tone="warning" live title="This takes effect immediately">
      <p>
        As soon as you save, writes that contain insurance are rejected and reads omit it.{" "}
        {users.length > 0
          ? `${pluralize(users.length, "API client")} used it in the last 30 days: ${names}.`
          : "No API client used it in the last 30 days."}{" "}
        Nothing is deleted. Changing the mode back to Announce undoes this.
      </p>
    </Notice>
  );
}
