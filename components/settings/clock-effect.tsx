import { formatList, pluralize } from "@/components/ui/format";
import { Notice } from "@/components/ui/notice";
import type { SettingsPage } from "@/lib/practice/practices/settings-queries";

/** What saving does at once: legacy insurance stops working, or works again. */
export function ClockEffect({ willEnd, users }: { willEnd: boolean; users: SettingsPage["users"] }) {
  const names = formatList(users.map(({ client_name }) => client_name));
  if (!willEnd)
    return (
      <Notice live title="Legacy insurance works again">
        As soon as you save, writes with insurances are accepted again and reads include them.
      </Notice>
    );
  return (
    <Notice tone="warning" live title="This takes effect immediately">
      <p>
        As soon as you save, writes with insurances are rejected and reads omit them.{" "}
        {users.length > 0
          ? `${pluralize(users.length, "API client")} used them in the last 30 days: ${names}.`
          : "No API client used them in the last 30 days."}{" "}
        Nothing is deleted. Changing the mode back to Announce undoes this.
      </p>
    </Notice>
  );
}
