import type { z } from "zod";
import { changeRun, createRun, type RunRequest, startWork } from "@/lib/migration/runs/migration-run";
import type { newRun } from "@/lib/migration/runs/staff-schema";
import { clock, isoNow } from "@/lib/platform/clock";
import { isOutdated } from "@/lib/platform/db/applied-migrations";
import { kysely } from "@/lib/platform/db/kysely";
import { type Db, db, sql } from "@/lib/platform/db/sql";
import { ConflictError, ValidationError } from "@/lib/platform/errors";
import { type Source, textSource } from "@/lib/platform/files/source";
import { getPracticeRules } from "@/lib/practice/practices/queries";
import { readRunCompanies } from "./companies-file";

/** The size of each part of an upload except the last. */
export const PART_BYTES = 4 * 1024 * 1024;

const DAY_MS = 86_400_000;
/** Days since the last part of an abandoned upload. */
const ABANDONED_DAYS = 7;

/** Parts of 4 MiB to delete per statement, which has a time limit. */
const PARTS_AT_ONCE = 32;

/**
 * Creates a run for a file that is uploaded in parts.
 *
 * @returns the ID of the run, and the size of each part except the last
 * @throws ValidationError if a line of the companies file is invalid
 * @throws ConflictError run_quota, storage_quota
 */
export async function createUploadedRun(
  request: RunRequest,
  practiceId: number,
  input: z.output<typeof newRun>,
): Promise<{ id: number; part_bytes: number }> {
  const { name, size, columns, follows } = input;
  const companies = input.companies.trim() === "" ? [] : await readRunCompanies(textSource(input.companies));
  const asOf = input.as_of ?? (await getPracticeRules(db, practiceId)).now.toISOString().slice(0, 10);
  const id = await createRun(request, {
    practiceId,
    name,
    size,
    asOf,
    columns,
    companies,
    follows,
    isUpload: true,
  });
  return { id, part_bytes: PART_BYTES };
}

/** An upload in progress. */
export interface Upload {
  /** The size of each part except the last. */
  part_bytes: number;
  parts: number;
  /** The numbers of the parts that were not uploaded yet. */
  missing: number[];
}

/**
 * Begins or resumes an upload. From now on, the parts and the check of pages that began earlier are rejected, because they may
 * send another file.
 *
 * @returns the turn that the caller sends with its parts, and what is missing
 * @throws NotFoundError, ConflictError run_state
 */
export async function takeUploadTurn(request: RunRequest, runId: number): Promise<Upload & { turn: number }> {
  return changeRun(request, runId, "upload", async (tx, run) => {
    const turn = run.upload_turn + 1;
    await tx.run(
      kysely.updateTable("migration_run").set({ upload_turn: turn, changed_date: isoNow() }).where("id", "=", runId),
    );
    return { turn, ...(await findUpload(tx, run)) };
  });
}

/** @throws ConflictError upload_taken_over, if another page has begun or resumed the upload since */
function requireTurn(run: { upload_turn: number }, turn: number | undefined): void {
  if (turn === undefined || turn === run.upload_turn) return;
  throw new ConflictError(
    "upload_taken_over",
    "The file of this run is now being uploaded from another tab or computer.",
  );
}

/**
 * Stores a part of a run's file. Replaces an earlier copy, because interrupted uploads send the part again.
 *
 * @param part from 1
 * @param options.turn from `takeUploadTurn`
 * @throws NotFoundError, ConflictError run_state, upload_taken_over
 * @throws ValidationError if the file has no such part, or the part has another size
 */
export async function putPart(
  request: RunRequest,
  runId: number,
  part: number,
  bytes: Uint8Array,
  { turn }: { turn?: number | undefined } = {},
): Promise<void> {
  await changeRun(request, runId, "upload", async (tx, run) => {
    requireTurn(run, turn);
    const expected = Math.min(PART_BYTES, run.source_size - (part - 1) * PART_BYTES);
    if (part < 1 || expected <= 0) throw new ValidationError({ part: ["The file has no such part."] });
    if (bytes.length !== expected) {
      throw new ValidationError({ part: [`Part ${part} must have ${expected} bytes, but has ${bytes.length}.`] });
    }
    await tx.run(
      kysely
        .insertInto("migration_part")
        .values({ run_id: runId, part, bytes: Buffer.from(bytes) })
        .onConflict((conflict) =>
          conflict.columns(["run_id", "part"]).doUpdateSet((row) => ({ bytes: row.ref("excluded.bytes") })),
        ),
    );
    // An upload is abandoned by the time of its last part.
    tx.send(kysely.updateTable("migration_run").set({ changed_date: isoNow() }).where("id", "=", runId));
  });
}

/** Returns the parts of a run's file, and those that are missing. */
export async function findUpload(read: Db, run: { id: number; source_size: number }): Promise<Upload> {
  const parts = countParts(run);
  const there = new Set(await listParts(read, run.id));
  const missing = Array.from({ length: parts }, (_, at) => at + 1).filter((part) => !there.has(part));
  return { part_bytes: PART_BYTES, parts, missing };
}

/** Returns the number of parts of a run's file. */
const countParts = (run: { source_size: number }) => Math.ceil(run.source_size / PART_BYTES);

/** Returns the numbers of the parts that were uploaded. */
async function listParts(read: Db, runId: number): Promise<number[]> {
  const rows = await read.rows(
    kysely.selectFrom("migration_part").select("part").where("run_id", "=", runId).orderBy("part"),
  );
  return rows.map(({ part }) => part);
}

/**
 * Starts reading and checking an uploaded file.
 *
 * @param options.turn from `takeUploadTurn`
 * @throws ConflictError upload_incomplete, with the number of missing parts; upload_taken_over
 */
export async function startCheck(
  request: RunRequest,
  runId: number,
  { turn }: { turn?: number | undefined } = {},
): Promise<void> {
  await changeRun(request, runId, "check", async (tx, run) => {
    requireTurn(run, turn);
    const { parts, missing } = await findUpload(tx, run);
    if (missing.length > 0 || parts === 0) {
      const message =
        parts === 0 ? "The file is empty." : `${missing.length} of ${parts} parts of the file are missing.`;
      throw new ConflictError("upload_incomplete", message);
    }
    await startWork(tx, run, { state: "reading", total: run.source_size, origin: request.origin });
  });
}

/** Returns the uploaded file of a run. */
export function uploadSource(run: { id: number; source_size: number }): Source {
  const parts = countParts(run);
  return {
    size: run.source_size,
    async *read(start = 0) {
      for (let part = Math.floor(start / PART_BYTES) + 1; part <= parts; part++) {
        const row = await db.first(
          kysely.selectFrom("migration_part").select("bytes").where("run_id", "=", run.id).where("part", "=", part),
        );
        if (!row) throw new Error(`part ${part} of run ${run.id} is missing`);
        yield row.bytes.subarray(Math.max(0, start - (part - 1) * PART_BYTES));
      }
    },
  };
}

/**
 * Deletes uploaded files that were read, or whose run was cancelled. Does nothing if a later version has migrated the database, because
 * runs may be in a state that is unknown here.
 *
 * @param options.signal stops before the next statement
 */
export async function removeReadUploads({ signal }: { signal?: AbortSignal } = {}): Promise<void> {
  if (await isOutdated()) return;
  let removed: number;
  do {
    removed = await db.run(sql`
      DELETE FROM migration_part WHERE (run_id, part) IN (
        SELECT p.run_id, p.part FROM migration_part p JOIN migration_run m ON m.id = p.run_id
        WHERE m.state NOT IN ('uploading', 'reading') AND (m.state <> 'failed' OR m.stopped_in <> 'reading')
        LIMIT ${PARTS_AT_ONCE})`);
  } while (removed > 0 && !signal?.aborted);
}

/** Cancels abandoned uploads. */
export async function removeOldUploads(): Promise<void> {
  const before = new Date(clock.now().getTime() - ABANDONED_DAYS * DAY_MS).toISOString();
  await db.run(
    kysely
      .updateTable("migration_run")
      .set({ state: "cancelled", stopped_in: "uploading", changed_date: isoNow() })
      .where("state", "=", "uploading")
      .where("changed_date", "<", before),
  );
}
