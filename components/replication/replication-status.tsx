import { Status } from "@/components/ui/status";
import type { ReplicationListRow } from "@/lib/insurance/replication/staff-queries";

/** Shows the status of a replication event, for staff. */
export function ReplicationStatus({ event }: { event: ReplicationListRow }) {
  if (event.status === "failed") return <Status kind="failed">Failed</Status>;
  if (event.status === "acknowledged") return <Status kind="good">Applied</Status>;
  if (event.status === "discarded") return <Status kind="archived">Discarded</Status>;
  if (event.blocked) return <Status kind="pending">Blocked</Status>;
  return <Status kind="pending">{event.attempts > 0 ? "Retrying" : "Pending"}</Status>;
}
