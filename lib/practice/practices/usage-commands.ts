import type { Origin } from "@/lib/access/identity/access";
import { isoNow } from "@/lib/platform/clock";
import { db, json, sql } from "@/lib/platform/db/sql";
import { log } from "@/lib/platform/log";
import { processWide } from "@/lib/platform/process-wide";

/** One client's use of the legacy insurances of one practice, by one endpoint on one day (UTC). */
interface Use {
  practice_id: number;
  client_id: number;
  endpoint: string;
  day: string;
  reads: number;
  writes: number;
}

interface Counters {
  uses: Map<string, Use>;
  timer: NodeJS.Timeout | undefined;
  /** The last flush. */
  flushed: Promise<void>;
}

const FLUSH_MS = 5_000;

// Next bundles route modules apart from the server: the counters have to be the same in all of them.
function counters(): Counters {
  return processWide("crosswalkLegacyUse", () => ({ uses: new Map(), timer: undefined, flushed: Promise.resolve() }));
}

/** Counts that a client read or wrote legacy insurances (design §6). Counts are kept in memory and written every 5 s. */
export function countLegacyUse({ actor, operation }: Origin, practiceId: number, kind: "reads" | "writes"): void {
  if (actor.type !== "client" || actor.id === null) return;
  const use = { practice_id: practiceId, client_id: actor.id, endpoint: operation, day: isoNow().slice(0, 10) };
  add({ ...use, reads: 0, writes: 0, [kind]: 1 });
}

/**
 * Counts a write with legacy insurances. Call it before any check, because even a rejected write shows that the client has not
 * migrated yet. Dry runs are not counted.
 */
export function countLegacyWrite({ origin, dryRun }: { origin: Origin; dryRun?: boolean }, practiceId: number): void {
  if (!dryRun) countLegacyUse(origin, practiceId, "writes");
}

/** Writes the counts. A server calls this last, before it closes its connections. */
export function flushLegacyUse(): Promise<void> {
  const all = counters();
  clearTimeout(all.timer);
  all.timer = undefined;
  all.flushed = all.flushed.then(flush);
  return all.flushed;
}

function add(use: Use): void {
  const all = counters();
  const key = `${use.practice_id} ${use.client_id} ${use.endpoint} ${use.day}`;
  const before = all.uses.get(key);
  all.uses.set(key, {
    ...use,
    reads: use.reads + (before?.reads ?? 0),
    writes: use.writes + (before?.writes ?? 0),
  });
  all.timer ??= setTimeout(() => void flushLegacyUse(), FLUSH_MS).unref();
}

async function flush(): Promise<void> {
  const all = counters();
  const uses = [...all.uses.values()];
  all.uses = new Map();
  if (uses.length === 0) return;
  try {
    // All processes insert in the same order, so that they can't deadlock.
    await db.run(sql`
      INSERT INTO legacy_usage AS u (practice_id, client_id, endpoint, day, reads, writes)
      SELECT practice_id, client_id, endpoint, day, reads, writes
      FROM jsonb_to_recordset(${json(uses)}) AS n(practice_id bigint, client_id bigint, endpoint text, day date,
        reads bigint, writes bigint)
      ORDER BY practice_id, client_id, endpoint, day
      ON CONFLICT (practice_id, client_id, endpoint, day)
      DO UPDATE SET reads = u.reads + excluded.reads, writes = u.writes + excluded.writes`);
  } catch (error) {
    log.warn({ err: error }, "the use of legacy insurances could not be written and will be retried");
    for (const use of uses) add(use);
  }
}
