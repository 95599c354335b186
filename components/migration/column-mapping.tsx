"use client";

import { Select } from "@/components/ui/controls";
import { inputClass } from "@/components/ui/field";
import { fieldName } from "@/lib/migration/findings/field-words";
import { COLUMN_TARGETS, type Columns, type ColumnTarget } from "@/lib/migration/record/columns";
import type { CsvPreview } from "./csv-headings";
import { columnMapping as text } from "./messages/new-run";

const targetName = (target: ColumnTarget) => fieldName(target.slice(target.indexOf(".") + 1));
const GROUPS = [
  { label: text.patient, prefix: "patient." },
  { label: text.insurance, prefix: "insurance." },
] as const;

/** Maps the columns of a CSV file to fields. Starts with a guess that the user can correct. */
export function ColumnMapping(props: {
  preview: CsvPreview;
  columns: Columns;
  onChange: (columns: Columns) => void;
  problem: string | undefined;
}) {
  const { preview, columns, onChange, problem } = props;
  const set = (heading: string, target: ColumnTarget | undefined) => {
    const { [heading]: _before, ...others } = columns;
    // A field is read from one column only, so the column that had it is no longer mapped.
    const kept = Object.entries(others).filter(([, other]) => other !== target);
    onChange(Object.fromEntries(target ? [...kept, [heading, target]] : kept));
  };
  return (
    <fieldset>
      <legend className="font-medium">{text.legend}</legend>
      <p className="text-soft mb-2 text-sm">{text.help}</p>
      {problem && <p className="text-bad mb-2">{problem}</p>}
      <div className="border-line bg-raised max-h-96 overflow-auto rounded-md border">
        <table className="w-full border-collapse">
          <thead className="bg-raised sticky top-0">
            <tr className="border-line border-b text-left">
              <th scope="col" className="text-soft h-8 px-3 text-sm font-medium">
                {text.column}
              </th>
              <th scope="col" className="text-soft h-8 px-3 text-sm font-medium max-sm:hidden">
                {text.example}
              </th>
              <th scope="col" className="text-soft h-8 px-3 text-sm font-medium">
                {text.field}
              </th>
            </tr>
          </thead>
          <tbody>
            {preview.headings.map((heading, at) => (
              <tr key={heading} className="border-line border-b last:border-0">
                <th scope="row" className="max-w-48 truncate px-3 py-1 text-left font-normal" title={heading}>
                  {heading || text.noHeading}
                </th>
                <td className="text-soft max-w-40 truncate px-3 py-1 font-mono text-sm max-sm:hidden">
                  {preview.examples[at]}
                </td>
                <td className="px-3 py-1">
                  <Select
                    aria-label={text.select(heading)}
                    className={inputClass}
                    value={columns[heading] ?? ""}
                    onChange={(event) => {
                      const chosen = COLUMN_TARGETS.find((target) => target === event.target.value);
                      set(heading, chosen);
                    }}
                  >
                    <option value="">{text.ignored}</option>
                    {GROUPS.map(({ label, prefix }) => (
                      <optgroup key={prefix} label={label}>
                        {COLUMN_TARGETS.filter((target) => target.startsWith(prefix)).map((target) => (
                          <option key={target} value={target}>
                            {text.option(label, targetName(target))}
                          </option>
                        ))}
                      </optgroup>
                    ))}
                  </Select>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </fieldset>
  );
}
