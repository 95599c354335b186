import type { WriteOutcome } from "@/lib/insurance/patient-write/patient-write";
import type { Reply } from "@/lib/platform/http/reply";

/**
 * The answer to a write on one side of the stream: `Sync-Status: pending` where the other side has not acknowledged in
 * time; for a dry run 200 with what would happen (design §4, §7), and the headers of the real answer but those that name
 * a record or version which there is not.
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
