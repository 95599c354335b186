import { PlainTable } from "@/components/ui/plain-table";
import { Status } from "@/components/ui/status";
import { Time } from "@/components/ui/time";
import type { AttemptRow } from "@/lib/events/published/staff-queries";

const COLUMNS = [{ name: "Attempt" }, { name: "Time" }, { name: "Outcome" }, { name: "Duration" }, { name: "Error" }];

/** Shows the attempts to deliver an event, newest first. */
export function AttemptTable({ attempts }: { attempts: readonly AttemptRow[] }) {
  if (attempts.length === 0) return <p className="text-soft">No attempts yet</p>;
  return (
    <PlainTable label="Attempts" columns={COLUMNS}>
      {attempts.map((attempt) => (
        <tr key={attempt.number} className="border-line h-9 border-b align-top last:border-0">
          <td className="px-3 py-1.5 tabular-nums">{attempt.number}</td>
          <td className="px-3 py-1.5">
            <Time value={attempt.started_date} exact />
          </td>
          <td className="px-3 py-1.5">
            <Outcome attempt={attempt} />
          </td>
          <td className="px-3 py-1.5 whitespace-nowrap tabular-nums">
            {attempt.duration_ms === null ? "" : `${attempt.duration_ms} ms`}
          </td>
          <td className="px-3 py-1.5 break-words">{attempt.error}</td>
        </tr>
      ))}
    </PlainTable>
  );
}

function Outcome({ attempt: { status_code, error, duration_ms } }: { attempt: AttemptRow }) {
  if (error !== null) return <Status kind="failed">{status_code ?? "No response"}</Status>;
  if (duration_ms === null) return <Status kind="pending">In progress</Status>;
  return <Status kind="good">{status_code ?? "Delivered"}</Status>;
}
