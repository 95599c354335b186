import { pluralize } from "./format";
import { Status } from "./status";
import { TextLink } from "./text-link";
import type { BulkResult } from "./use-bulk";

const MAX_SHOWN = 200;

interface BulkResultsProps {
  noun: string;
  results: readonly BulkResult[];
  hrefOf: (id: number) => string;
}

/** Lists the result of each record, those that need attention first. */
export function BulkResults({ noun, results, hrefOf }: BulkResultsProps) {
  const sorted = results.toSorted((a, b) => Number(a.kind === "good") - Number(b.kind === "good"));
  return (
    <>
      <table aria-label={`Result of each ${noun}`} className="w-full border-collapse">
        <tbody>
          {sorted.slice(0, MAX_SHOWN).map(({ id, kind, text }) => (
            <tr key={id} className="border-line border-t">
              <th scope="row" className="py-1 pr-3 text-left align-top font-normal">
                <TextLink href={hrefOf(id)} className="font-mono">
                  {id}
                </TextLink>
              </th>
              <td className="py-1 [&>span]:whitespace-normal">
                <Status kind={kind}>{text}</Status>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {sorted.length > MAX_SHOWN && (
        <p className="text-soft">And {pluralize(sorted.length - MAX_SHOWN, `other ${noun}`)}.</p>
      )}
    </>
  );
}
