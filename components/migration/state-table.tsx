import { formatNumber } from "@/components/ui/format";
import { Status } from "@/components/ui/status";
import { TextLink } from "@/components/ui/text-link";
import type { RunTotals } from "@/lib/migration/runs/run-counts";
import type { RecordState } from "@/lib/migration/runs/schema";
import { convertStep } from "./messages/run";
import { RECORD_STATES } from "./messages/terms";
import { runPath } from "./paths";

const STATES: readonly RecordState[] = [
  "checked",
  "converted",
  "verified",
  "different",
  "left_out",
  "stale",
  "rolled_back",
  "kept",
];

interface StateTableProps {
  practice: number;
  run: number;
  states: RunTotals["states"];
}

/** Shows the number of records in each state, with links to them. */
export function StateTable({ practice, run, states }: StateTableProps) {
  return (
    <table
      aria-label={convertStep.states}
      className="border-line bg-raised w-full max-w-xl border-collapse rounded-md border"
    >
      <tbody>
        {STATES.filter((state) => (states[state] ?? 0) > 0).map((state) => (
          <tr key={state} className="border-line border-b last:border-0">
            <th scope="row" className="px-3 py-2 text-left font-normal">
              <TextLink href={`${runPath(practice, run)}/records?state=${state}`}>
                <Status kind={RECORD_STATES[state].kind}>{RECORD_STATES[state].text}</Status>
              </TextLink>
            </th>
            <td className="px-3 py-2 text-right tabular-nums">{formatNumber(states[state] ?? 0)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
