import { CallError } from "@/components/session/call-error";
import { staffCall } from "@/components/session/staff-call";
import type { RetryResult } from "@/components/ui/retry-progress";
import type { ReplicationStatus } from "@/lib/insurance/replication/schema";
import type { ReplicationListRow } from "@/lib/insurance/replication/staff-queries";
import { retryResults as text } from "./messages/sync";

/** Returns whether an event can be retried. A blocked event is retried with the older event it waits for. */
export function isRetriable({ status, attempts, blocked }: ReplicationListRow): boolean {
  return !blocked && (status === "failed" || (status === "pending" && attempts > 0));
}

/**
 * Retries an event and describes the result.
 *
 * @throws CallError
 */
export async function retryEvent(practice: number, id: number): Promise<RetryResult> {
  const path = `practices/${practice}/stream/${id}/retry`;
  const { status, last_error } = await staffCall<{ status: ReplicationStatus; last_error: string | null }>(path, {
    method: "POST",
  });
  if (status === "acknowledged") return { id, kind: "good", text: text.applied };
  if (status === "discarded") return { id, kind: "archived", text: text.discarded };
  if (status === "failed") return { id, kind: "failed", text: text.failed(last_error) };
  if (last_error) return { id, kind: "failed", text: text.willRetry(last_error) };
  return { id, kind: "pending", text: text.queued };
}

/** Errors that concern a single event, so that the rest of a batch can continue. */
const SINGLE_EVENT_STATUSES = [404, 409, 422];

/** Retries an event like `retryEvent`, but returns an error of this event as its result. */
export async function retryOneOfMany(practice: number, id: number): Promise<RetryResult> {
  try {
    return await retryEvent(practice, id);
  } catch (error) {
    const isSingle = error instanceof CallError && SINGLE_EVENT_STATUSES.includes(error.status);
    if (!isSingle || error.code === "another_person") throw error;
    return { id, kind: error.status === 404 ? "failed" : "archived", text: text.skipped(error.message) };
  }
}
