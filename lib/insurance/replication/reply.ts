import type { WriteOutcome } from "@/lib/insurance/patient-write/patient-write";
import type { Reply } from "@/lib/platform/http/response";

/**
 * Builds the response to a write. It has `Sync-Status: pending` if the other store has not applied the write in time. A dry
 * run returns 200 with the effects (design §4, §7), without the headers that name a version or record, because neither exists.
 */
export function replyToWrite<T>(outcome: WriteOutcome<T>, dryRun: boolean, reply: Reply): Reply {
  const pending: Record<string, string> = outcome.pending ? { "sync-status": "pending" } : {};
  if (!dryRun) return { ...reply, headers: { ...reply.headers, ...pending } };
  const { etag: _etag, location: _location, ...headers } = reply.headers ?? {};
  return {
    ...reply,
    status: 200,
    body: { effects: outcome.effects, result: reply.body ?? null },
    headers: { ...headers, ...pending },
  };
}
