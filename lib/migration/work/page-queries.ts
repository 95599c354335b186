import type { Access } from "@/lib/access/identity/access";
import { countSubscribers } from "@/lib/events/subscriptions/queries";
import { getRunView, type RunView } from "@/lib/migration/check/review-queries";
import { findUpload, type Upload } from "@/lib/migration/read/upload-run";
import type { Columns } from "@/lib/migration/record/columns";
import { getRun } from "@/lib/migration/runs/queries";
import { countRun, type RunCounts } from "@/lib/migration/runs/run-counts";
import { originalsUntil, requireAllowed } from "@/lib/migration/runs/run-states";
import { config } from "@/lib/platform/config";
import { kysely } from "@/lib/platform/db/kysely";
import { db, sql } from "@/lib/platform/db/sql";
import { getPracticeRules } from "@/lib/practice/practices/queries";

/** A run with everything its page shows. */
export interface RunPage extends RunCounts {
  run: RunView;
  /** Progress of the upload. */
  upload: Upload | null;
  /** The fields of the CSV columns; null if detected. */
  columns: Columns | null;
  companies: number;
  /** Subscriptions that get an event for each patient that the run writes or rolls back. */
  subscriptions: number;
  /** When the originals are deleted; null while the run is open, and after the deletion. */
  originals_until: string | null;
  event_retention_days: number;
  retention_days: number;
}

/** @throws NotFoundError if the run doesn't exist or belongs to another practice */
export async function getRunPage(access: Access, runId: number): Promise<RunPage> {
  const run = await getRunView(access, runId);
  const more = await db.first(
    kysely
      .selectFrom("migration_run")
      .select(({ fn }) => ["columns", fn<number>("jsonb_array_length", ["companies"]).as("companies")])
      .where("id", "=", runId),
  );
  return {
    run,
    ...(await countRun(runId)),
    upload: run.state === "uploading" ? await findUpload(db, run) : null,
    columns: more?.columns ?? null,
    companies: more?.companies ?? 0,
    subscriptions: await countSubscribers("patients", run.practice_id),
    originals_until: originalsUntil(run, config().MIGRATION_RETENTION_DAYS),
    retention_days: config().MIGRATION_RETENTION_DAYS,
    event_retention_days: config().EVENT_RETENTION_DAYS,
  };
}

/** Parts of 4 MiB to hash per statement, which has a time limit. */
const HASHED_AT_ONCE = 16;

/** The SHA-256 of an uploaded part, in hexadecimal digits. */
export interface PartHash {
  part: number;
  sha256: string;
}

/**
 * Hashes the uploaded parts among the 16 that start with `from`. Pages compare them with a file before they resume its upload.
 *
 * @throws NotFoundError if the run doesn't exist or belongs to another practice
 * @throws ConflictError run_state: the run has its file
 */
export async function listPartHashes(access: Access, runId: number, from: number): Promise<{ results: PartHash[] }> {
  requireAllowed(await getRun(access, runId), "upload");
  // With LIMIT instead of a range, PostgreSQL may hash the whole file and then sort.
  const results = await db.rows<PartHash>(sql`
    SELECT part, encode(sha256(bytes), 'hex') AS sha256 FROM migration_part
    WHERE run_id = ${runId} AND part BETWEEN ${from} AND ${from + HASHED_AT_ONCE - 1} ORDER BY part`);
  return { results };
}

/** Returns the defaults of a new run: the practice's current day, and the columns of its last CSV file. */
export async function getRunDefaults(practiceId: number): Promise<{ today: string; columns: Columns | null }> {
  const { now } = await getPracticeRules(db, practiceId);
  const row = await db.first(
    kysely
      .selectFrom("migration_run")
      .select("columns")
      .where("practice_id", "=", practiceId)
      .where("columns", "is not", null)
      .orderBy("id", "desc")
      .limit(1),
  );
  return { today: now.toISOString().slice(0, 10), columns: row?.columns ?? null };
}
