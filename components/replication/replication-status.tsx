import { Status } from "@/components/ui/status";
import type { ReplicationListRow } from "@/lib/insurance/replication/staff-queries";
import { syncStatus as text } from "./messages/sync";

/** Shows the status of a replication event, for staff. */
export function ReplicationStatus({ event }: { event: ReplicationListRow }) {
  if (event.status === "failed") return <Status kind="failed">{text.failed}</Status>;
  if (event.status === "acknowledged") return <Status kind="good">{text.applied}</Status>;
  if (event.status === "discarded") return <Status kind="archived">{text.discarded}</Status>;
  if (event.blocked) return <Status kind="pending">{text.blocked}</Status>;
  return <Status kind="pending">{event.attempts > 0 ? text.retrying : text.pending}</Status>;
}
