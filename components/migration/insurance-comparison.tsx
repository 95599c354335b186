import { FieldValue } from "@/components/policies/history/field-value";
import { historyFieldOf } from "@/components/policies/history/history-fields";
import { classNames } from "@/components/ui/class-names";
import { Summary } from "@/components/ui/disclosure";
import { capitalize } from "@/components/ui/format";
import type { ProposedInsurance } from "@/lib/migration/check/record-queries";
import { fieldName, fieldWords } from "@/lib/migration/findings/field-words";
import { comparison as text } from "./messages/review";
import { valueText } from "./messages/terms";

interface InsuranceComparisonProps {
  insurance: ProposedInsurance;
  /** The name of the source: `Export` or `Legacy record`. */
  source: string;
  folded?: boolean;
}

/** Compares an insurance of the source with the policy it becomes, field by field. */
export function InsuranceComparison({ insurance, source, folded = false }: InsuranceComparisonProps) {
  const { id, verdict, changes, left_out: isSkipped, notes } = insurance;
  const outcome = isSkipped ? text.skipped : text.outcomes[verdict];
  const title = (
    <>
      <span className="font-medium">{text.heading(id)}</span>{" "}
      <span className={verdict === "refused" ? "text-bad" : "text-soft"}>
        {changes.length > 0 ? text.changes(outcome, changes.map((field) => fieldWords(field)).join(", ")) : outcome}
      </span>
    </>
  );
  const noteText = notes.length > 0 && <p className="text-soft px-3 py-1 text-sm">{notes.join(" ")}</p>;
  const table = <FieldTable insurance={insurance} source={source} />;
  if (folded) {
    return (
      <details className="border-line bg-raised overflow-hidden rounded-md border">
        <Summary className="min-h-9 px-3 py-2">
          <span className="min-w-0">{title}</span>
        </Summary>
        {noteText}
        {table}
      </details>
    );
  }
  return (
    <div className="border-line bg-raised overflow-x-auto rounded-md border">
      <p className="px-3 py-2">{title}</p>
      {noteText}
      {table}
    </div>
  );
}

function FieldTable({ insurance, source }: Pick<InsuranceComparisonProps, "insurance" | "source">) {
  const { id, verdict, fields } = insurance;
  return (
    <table aria-label={id === null ? text.noId : text.title(id)} className="w-full border-collapse">
      <thead>
        <tr className="border-line text-soft border-y text-left text-sm">
          <th scope="col" className="h-8 w-1/4 px-3 font-medium">
            {text.field}
          </th>
          <th scope="col" className="h-8 px-3 font-medium">
            {source}
          </th>
          <th scope="col" className="h-8 px-3 font-medium">
            {text.policy}
          </th>
        </tr>
      </thead>
      <tbody>
        {fields.map(({ field, legacy, fixed, proposed }) => (
          <tr key={field} className="border-line border-b last:border-0">
            <th scope="row" className="text-soft px-3 py-1 text-left font-normal">
              {fieldName(field)}
            </th>
            <td className="px-3 py-1 font-mono text-sm wrap-anywhere">
              <span className={fixed !== undefined ? "text-bad line-through" : undefined}>{valueText(legacy)}</span>
              {fixed !== undefined && <span className="text-good ml-2">{valueText(fixed)}</span>}
            </td>
            <td
              className={classNames(
                "px-3 py-1 wrap-anywhere",
                verdict === "refused" ? "text-soft" : String(proposed) !== String(fixed ?? legacy) && "text-good",
              )}
            >
              {verdict === "refused" ? "—" : <PolicyValue field={field} value={proposed} />}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Shows a value as the pages of a policy do. The conversion names ranks in words. */
function PolicyValue({ field, value }: { field: string; value: unknown }) {
  if (field === "rank" && typeof value === "string") return capitalize(value);
  return <FieldValue field={historyFieldOf(field)} value={value} />;
}
