import type { Outcome } from "@/lib/sync/write";
import type { Reply } from "./reply";

/**
 * The answer to a write on one side of the stream: `Sync-Status: pending` where the other side has not acknowledged in
 * time; for a dry run 200 with what would happen (design §4, §7).
 */
export function replyToWrite<T>(outcome: Outcome<T>, dryRun: boolean, reply: Reply): Reply {
  if (dryRun) return { status: 200, body: { effects: outcome.effects, result: reply.body ?? null } };
  return outcome.pending ? { ...reply, headers: { ...reply.headers, "sync-status": "pending" } } : reply;
}
