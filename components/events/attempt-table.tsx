import { PlainTable } from "@/components/ui/plain-table";
import { Status } from "@/components/ui/status";
import { Time } from "@/components/ui/time";
import type { AttemptRow } from "@/lib/events/published/staff-queries";
import { attempts as text } from "./messages/events";

const COLUMNS = [
  { name: text.number },
  { name: text.time },
  { name: text.outcome },
  { name: text.duration, className: "max-sm:hidden" },
  { name: text.error, className: "max-sm:hidden" },
];

/** Shows the attempts to deliver an event, newest first. */
export function AttemptTable({ attempts }: { attempts: readonly AttemptRow[] }) {
  if (attempts.length === 0) return <p className="text-soft">{text.none}</p>;
  return (
    <PlainTable label={text.label} columns={COLUMNS}>
      {attempts.map((attempt) => (
        <tr key={attempt.number} className="border-line h-9 border-b align-top last:border-0">
          <td className="px-3 py-1.5 tabular-nums">{attempt.number}</td>
          <td className="px-3 py-1.5">
            <Time value={attempt.started_date} exact />
          </td>
          <td className="px-3 py-1.5">
            <Outcome attempt={attempt} />
            {attempt.error && <span className="block text-sm wrap-anywhere sm:hidden">{attempt.error}</span>}
          </td>
          <td className="px-3 py-1.5 whitespace-nowrap tabular-nums max-sm:hidden">
            {attempt.duration_ms === null ? "" : text.milliseconds(attempt.duration_ms)}
          </td>
          <td className="px-3 py-1.5 break-words max-sm:hidden">{attempt.error}</td>
        </tr>
      ))}
    </PlainTable>
  );
}

function Outcome({ attempt: { status_code, error, duration_ms } }: { attempt: AttemptRow }) {
  if (error !== null) return <Status kind="failed">{status_code ?? text.noResponse}</Status>;
  if (duration_ms === null) return <Status kind="pending">{text.inProgress}</Status>;
  return <Status kind="good">{status_code ?? text.delivered}</Status>;
}
