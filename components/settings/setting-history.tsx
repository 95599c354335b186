import { ChangeList } from "@/components/ui/change-list";
import type { RecordChange } from "@/lib/access/history/queries";
import { practicePage as text } from "./messages/practice";

/** Shows the changes to settings: those that mention one of these fields. */
export function SettingHistory({
  label,
  fields,
  changes,
  describe,
}: {
  label: string;
  fields: readonly string[];
  changes: readonly RecordChange[];
  describe: (change: RecordChange) => string;
}) {
  const shown = changes.filter((change) => fields.some((field) => field in change.changes));
  return (
    <>
      <h3 className="mt-4 mb-2 font-medium">{text.history}</h3>
      <ChangeList label={label} changes={shown} describe={describe} none={text.noHistory} />
    </>
  );
}
