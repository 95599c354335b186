import { Status } from "@/components/ui/status";
import { Time } from "@/components/ui/time";
import type { AttemptRow } from "@/lib/events/published/delivery-queries";

/** The attempts to deliver an event, newest first. */
export function AttemptTable({ attempts }: { attempts: readonly AttemptRow[] }) {
  if (attempts.length === 0) return <p className="text-soft">No attempts yet</p>;
  const heads = ["Attempt", "Time", "Outcome", "Duration", "Error"];
  return (
    <div className="border-line bg-raised overflow-x-auto rounded-md border">
      <table aria-label="Attempts" className="w-full border-collapse">
        <thead>
          <tr className="border-line border-b">
            {heads.map((head) => (
              <th key={head} scope="col" className="text-soft h-9 px-3 text-left text-sm font-medium whitespace-nowrap">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
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
        </tbody>
      </table>
    </div>
  );
}

function Outcome({ attempt: { status_code, error, duration_ms } }: { attempt: AttemptRow }) {
  if (error !== null) return <Status kind="failed">{status_code ?? "No response"}</Status>;
  if (duration_ms === null) return <Status kind="pending">In progress</Status>;
  return <Status kind="good">{status_code ?? "Delivered"}</Status>;
}
