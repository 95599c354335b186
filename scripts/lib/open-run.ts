// A run on the command line, for a file or for the practice's own records: the one that was cut short, or a new one.
import { stat } from "node:fs/promises";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { db } from "@/lib/db/sql";
import { listRunsToResume } from "@/lib/migration/command-line-queries";
import { readRunCompanies } from "@/lib/migration/commands/import-companies-file";
import { createStartedRun, type RunRequest, resumeRun } from "@/lib/migration/commands/migration-run";
import { OWN_RECORDS, startOwnRun } from "@/lib/migration/commands/own-run";
import { fileSource, STANDARD_INPUT } from "@/lib/migration/commands/source";
import type { Columns } from "@/lib/migration/rules/columns";
import { findRun } from "@/lib/migration/run-queries";
import type { RunCompany, RunRow } from "@/lib/migration/schema/run";
import { getPracticeRules } from "@/lib/practices/queries";

export interface RunOptions {
  /** null: the practice's own legacy records. */
  file: string | null;
  practiceId: number;
  /** A file of companies; null where none was named. */
  companies: string | null;
  /** `YYYY-MM-DD`; null: the practice's present day. */
  asOf: string | null;
  columns: Columns | null;
}

/**
 * The run of this file, by name and size, or of the practice's own records, that was cut short or waits for decisions; or a
 * new one, about to be read.
 *
 * @param size of the file, in bytes; 0 for the practice's own records
 * @returns the run, and how it stood before where it was taken up
 */
export async function openRun(
  request: RunRequest,
  options: RunOptions,
  size: number,
): Promise<{ run: RunRow; taken: RunRow | null }> {
  const companies = options.companies === null ? [] : await readRunCompanies(await fileSource(options.companies));
  const taken = await findTaken(options, size, companies);
  if (taken) {
    if (taken.state === "failed") await resumeRun(request, taken.id);
    return { run: await requireThere(taken.id), taken };
  }
  return { run: await requireThere(await beginRun(request, options, { size, companies })), taken: null };
}

async function beginRun(
  request: RunRequest,
  { file, practiceId, columns, asOf: sent }: RunOptions,
  { size, companies }: { size: number; companies: RunCompany[] },
): Promise<number> {
  if (file === null) return (await startOwnRun(request, practiceId, sent ?? undefined)).id;
  const asOf = sent ?? (await getPracticeRules(db, practiceId)).now.toISOString().slice(0, 10);
  return createStartedRun(request, { practiceId, name: nameOf(file), size, asOf, columns, companies });
}

/** What was named on the command line has to be what the run was made with, and the file what the run has read. */
async function findTaken(
  { file, practiceId, companies: companiesFile, asOf, columns }: RunOptions,
  size: number,
  companies: RunCompany[],
): Promise<RunRow | null> {
  const name = file === null ? OWN_RECORDS : nameOf(file);
  const writtenBefore = file === null ? null : await changedDate(file);
  const runs = await listRunsToResume(db, practiceId, { name, size });
  const fits = (run: RunRow) =>
    (asOf === null || run.as_of === asOf) &&
    (columns === null || isDeepStrictEqual(run.columns, columns)) &&
    (companiesFile === null || isDeepStrictEqual(run.companies, JSON.parse(JSON.stringify(companies)))) &&
    (run.state === "converting" || writtenBefore === null || writtenBefore <= run.created_date);
  return runs.find(fits) ?? null;
}

const nameOf = (file: string) => (file === STANDARD_INPUT ? "Standard input" : path.basename(file));

/** When a file was last written. Nobody knows what a pipe gives next time: it counts as new. */
async function changedDate(file: string): Promise<string> {
  const found = file === STANDARD_INPUT ? null : await stat(file);
  return (found?.isFile() ? found.mtime : new Date()).toISOString();
}

async function requireThere(id: number): Promise<RunRow> {
  const run = await findRun(db, id);
  if (!run) throw new Error(`run ${id} is gone`);
  return run;
}
