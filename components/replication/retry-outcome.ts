import { CallError, staffCall } from "@/components/session/staff-call";
import type { BulkResult } from "@/components/ui/use-bulk";
import type { StreamStatus } from "@/lib/sync/schema";
import type { StreamListRow } from "@/lib/sync/staff-queries";

/** Whether there is something to try: one that waits behind an older one of its patient is tried with that. */
export function isRetriable({ status, attempts, blocked }: StreamListRow): boolean {
  return !blocked && (status === "failed" || (status === "pending" && attempts > 0));
}

/**
 * Tries an event again and says what came of it.
 *
 * @throws CallError
 */
export async function retryEvent(practice: number, id: number): Promise<BulkResult> {
  const path = `practices/${practice}/stream/${id}/retry`;
  const answer = await staffCall<{ status: StreamStatus; last_error: string | null }>(path, { method: "POST" });
  const { status, last_error } = answer;
  if (status === "acknowledged") return { id, kind: "good", text: "Applied" };
  if (status === "discarded") return { id, kind: "archived", text: "Left alone: discarded meanwhile" };
  if (status === "failed")
    return { id, kind: "failed", text: `Failed again: ${last_error}. It waits for another retry` };
  if (last_error) return { id, kind: "failed", text: `Failed again: ${last_error}. It is tried again by itself` };
  return { id, kind: "pending", text: "In line again" };
}

/** Refusals that are about one event: the others can be tried all the same. */
const OF_ONE = [404, 409, 422];

/** As `retryEvent`, where a refusal of the event itself is what came of it. */
export async function retryOneOfMany(practice: number, id: number): Promise<BulkResult> {
  try {
    return await retryEvent(practice, id);
  } catch (error) {
    const isOfOne = error instanceof CallError && OF_ONE.includes(error.status) && error.code !== "another_person";
    if (!isOfOne) throw error;
    return { id, kind: error.status === 404 ? "failed" : "archived", text: `Left alone: ${error.message}` };
  }
}
