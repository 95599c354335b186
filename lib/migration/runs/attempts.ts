import { randomUUID } from "node:crypto";
import { type Db, sql } from "@/lib/platform/db/sql";
import { processWide } from "@/lib/platform/objects";
import { failRun } from "./migration-run";
import type { RunRow } from "./schema";

/** A run fails after this many processes have ended while working on it without progress, because its file or records probably crash them. */
export const MAX_ATTEMPTS = 3;

/** A process that crashes leaves its ID on the run. One that only lost the database removes its ID once it can reconnect. */
const thisProcess = () => processWide("crosswalkRunAttempts", () => ({ id: randomUUID(), unended: new Set<number>() }));

/**
 * Begins an attempt of this process to work on a run. `endAttempt` ends it, however the work ended.
 *
 * @returns whether to work on the run; if not, it is marked as failed with an explanation
 */
export async function beginAttempt(db: Db, run: RunRow): Promise<boolean> {
  const { id, state, attempted_by, done } = run;
  const process = thisProcess();
  const ended = attempted_by.filter((other) => other !== process.id);
  if (ended.length < MAX_ATTEMPTS) {
    process.unended.add(id);
    await db.run(sql`
      UPDATE migration_run SET attempted_by = array_append(array_remove(attempted_by, ${process.id}::uuid), ${process.id}::uuid)
      WHERE id = ${id}`);
    return true;
  }
  const place = state === "reading" ? `after byte ${done}` : `after record ${done}`;
  await failRun(
    db,
    { id, state },
    `The run made no progress ${place} in ${MAX_ATTEMPTS} attempts, because its process ended each time. See the server log for the cause. Correct or split the file and upload it as a new run, or resume this one.`,
  );
  return false;
}

/** Ends the attempt of this process if it began one. If the database is unreachable, the next call does it. */
export async function endAttempt(db: Db, runId: number): Promise<void> {
  const process = thisProcess();
  if (!process.unended.has(runId)) return;
  await db.run(sql`
    UPDATE migration_run SET attempted_by = array_remove(attempted_by, ${process.id}::uuid) WHERE id = ${runId}`);
  process.unended.delete(runId);
}
