import type { ExpressionBuilder } from "kysely";
import { auditChangeOfPractice } from "@/lib/access/audit/commands";
import { systemOrigin } from "@/lib/access/identity/access";
import { lockForWork } from "@/lib/migration/runs/queries";
import { ENDED } from "@/lib/migration/runs/run-states";
import { clock, isoNow } from "@/lib/platform/clock";
import { config } from "@/lib/platform/config";
import { isOutdated } from "@/lib/platform/db/applied-migrations";
import { kysely } from "@/lib/platform/db/kysely";
import type { Tables } from "@/lib/platform/db/rows";
import { db, type Sql, sql } from "@/lib/platform/db/sql";
import { transaction } from "@/lib/platform/db/transaction";
import { log } from "@/lib/platform/log";

const DAY_MS = 86_400_000;
/** Rows per statement, which has a time limit. */
const ROWS_AT_ONCE = 1_000;
const IMAGES_AT_ONCE = 100;

const ORIGIN = systemOrigin({ name: "Housekeeping", source: "migration", operation: "migration.purge" });

/**
 * Deletes the originals of runs that ended MIGRATION_RETENTION_DAYS ago: staged records, card images, values of findings,
 * and what the runs replaced or removed. Keeps verdicts, decisions and counts. Open runs are not changed.
 *
 * Marks each run first, so that it can't be verified or rolled back from incomplete data. An interrupted purge resumes
 * later. Does nothing if a later version has migrated the database, because only that version knows all the originals.
 *
 * @param options.signal stops before the next statement
 */
export async function purgeRuns({ signal }: { signal?: AbortSignal } = {}): Promise<void> {
  if (await isOutdated()) return;
  const days = config().MIGRATION_RETENTION_DAYS;
  const before = new Date(clock.now().getTime() - days * DAY_MS).toISOString();
  const runs = await db.rows(
    kysely
      .selectFrom("migration_run")
      .select("id")
      .where((eb) => eb.or([eb("purging", "=", true), isDue(eb, before)]))
      .orderBy("id"),
  );
  for (const { id } of runs) {
    if (signal?.aborted) return;
    try {
      if (await markPurged(id, { before, days })) await deleteOriginals(id, signal);
    } catch (err) {
      log.warn({ err, run: id }, "could not delete the originals of a migration run; will retry");
    }
  }
}

/** Returns the condition for runs whose originals are due for deletion. */
function isDue(eb: ExpressionBuilder<Tables, "migration_run">, before: string) {
  return eb.and([eb("purged_date", "is", null), eb("state", "in", ENDED), eb("changed_date", "<", before)]);
}

/** Marks a run, and returns whether to delete its originals. Staff may have resumed it in the meantime. */
async function markPurged(runId: number, { before, days }: { before: string; days: number }): Promise<boolean> {
  return transaction(async (tx) => {
    const run = await lockForWork(tx, runId);
    if (!run) return false;
    if (run.purged_date !== null) return true;
    const marked = await tx.run(
      kysely
        .updateTable("migration_run")
        // The purge also deletes proposed fixes, which are counted.
        .set({ purged_date: isoNow(), purging: true, counts: null })
        .where("id", "=", runId)
        .where((eb) => isDue(eb, before)),
    );
    if (marked === 0) return false;
    const reason = `Originals of migration run ${runId} deleted, ${days} days after it ended`;
    await auditChangeOfPractice(tx, { ...ORIGIN, reason }, run.practice_id, []);
    return true;
  });
}

async function deleteOriginals(runId: number, signal: AbortSignal | undefined): Promise<void> {
  const repeat = (statement: (limit: number) => Sql, limit?: number) => repeatUntilNone(statement, { limit, signal });
  await repeat((limit) => {
    return sql`DELETE FROM migration_image WHERE (run_id, number, rank, side) IN (
      SELECT run_id, number, rank, side FROM migration_image WHERE run_id = ${runId} LIMIT ${limit})`;
  }, IMAGES_AT_ONCE);
  await repeat(
    (limit) => sql`
    UPDATE migration_record SET raw = NULL, exact = NULL, person = NULL, insurance_ids = '{}', past_ids = '{}', outcome = NULL,
      differences = NULL
    WHERE run_id = ${runId} AND number IN (
      SELECT number FROM migration_record WHERE run_id = ${runId} AND NOT (raw IS NULL AND exact IS NULL AND person IS NULL
        AND insurance_ids = '{}' AND past_ids = '{}' AND outcome IS NULL AND differences IS NULL) LIMIT ${limit})`,
  );
  await repeat(
    (limit) => sql`
    UPDATE migration_finding SET found = NULL, fix = NULL WHERE id IN (
      SELECT id FROM migration_finding WHERE run_id = ${runId} AND (found IS NOT NULL OR fix IS NOT NULL)
      LIMIT ${limit})`,
  );
  await repeat(
    (limit) => sql`
    DELETE FROM migration_reused_id WHERE (run_id, insurance) IN (
      SELECT run_id, insurance FROM migration_reused_id WHERE run_id = ${runId} LIMIT ${limit})`,
  );
  for (;;) {
    if (signal?.aborted) return;
    const row = await db.first<{ removed: number }>(
      sql`SELECT purge_migration_removals(${runId}, ${ROWS_AT_ONCE}) AS removed`,
    );
    if (!row || row.removed === 0) break;
  }
  await db.run(kysely.updateTable("migration_run").set({ purging: false }).where("id", "=", runId));
  log.info({ run: runId }, "deleted the originals of a migration run");
}

async function repeatUntilNone(
  statement: (limit: number) => Sql,
  { limit = ROWS_AT_ONCE, signal }: { limit?: number | undefined; signal: AbortSignal | undefined },
): Promise<void> {
  while (!signal?.aborted && (await db.run(statement(limit))) > 0);
}
