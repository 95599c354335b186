// Opens a run for a file or for the practice's own records: an interrupted one, or a new one.
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { readRunCompanies } from "@/lib/migration/read/companies-file";
import { OWN_RECORDS, startOwnRun } from "@/lib/migration/read/legacy-scan";
import type { Columns } from "@/lib/migration/record/columns";
import { createStartedRun, type RunRequest, resumeRun } from "@/lib/migration/runs/migration-run";
import { findRun, listRunsToResume } from "@/lib/migration/runs/queries";
import type { RunCompany, RunRow } from "@/lib/migration/runs/schema";
import { db } from "@/lib/platform/db/sql";
import { fingerprintSource } from "@/lib/platform/files/read-lines";
import { fileSource, type Source, STANDARD_INPUT } from "@/lib/platform/files/source";
import { getPracticeRules } from "@/lib/practice/practices/queries";

export interface RunOptions {
  /** Null for the practice's own legacy records. */
  file: string | null;
  practiceId: number;
  /** The companies file, or null. */
  companies: string | null;
  /** `YYYY-MM-DD`, or null for the practice's current day. */
  asOf: string | null;
  columns: Columns | null;
}

/**
 * Finds the run of this file (by name and content) or of the practice's own records that was interrupted or waits for decisions, or
 * creates a new one.
 *
 * @param source the file's content; undefined for the practice's own records
 * @returns the run, and its earlier state if it is continued
 */
export async function openRun(
  request: RunRequest,
  options: RunOptions,
  source: Source | undefined,
): Promise<{ run: RunRow; taken: RunRow | null }> {
  const companies = options.companies === null ? [] : await readRunCompanies(await fileSource(options.companies));
  const content = source && (await fingerprintSource(source));
  const taken = await findTaken(options, content?.fingerprint ?? null, companies);
  if (taken) {
    if (taken.state === "failed") await resumeRun(request, taken.id);
    return { run: await requireThere(taken.id), taken };
  }
  return { run: await requireThere(await beginRun(request, options, { content, companies })), taken: null };
}

async function beginRun(
  request: RunRequest,
  { file, practiceId, columns, asOf: sent }: RunOptions,
  { content, companies }: { content: { fingerprint: string; size: number } | undefined; companies: RunCompany[] },
): Promise<number> {
  if (file === null || !content) return (await startOwnRun(request, practiceId, sent ?? undefined)).id;
  const asOf = sent ?? (await getPracticeRules(db, practiceId)).now.toISOString().slice(0, 10);
  return createStartedRun(request, { practiceId, name: nameOf(file), ...content, asOf, columns, companies });
}

/** Checks that the options are those that the run was created with. */
async function findTaken(
  { file, practiceId, companies: companiesFile, asOf, columns }: RunOptions,
  fingerprint: string | null,
  companies: RunCompany[],
): Promise<RunRow | null> {
  const name = file === null ? OWN_RECORDS : nameOf(file);
  const runs = await listRunsToResume(db, practiceId, { name, fingerprint });
  const fits = (run: RunRow) =>
    (asOf === null || run.as_of === asOf) &&
    (columns === null || isDeepStrictEqual(run.columns, columns)) &&
    (companiesFile === null || isDeepStrictEqual(run.companies, JSON.parse(JSON.stringify(companies))));
  return runs.find(fits) ?? null;
}

const nameOf = (file: string) => (file === STANDARD_INPUT ? "Standard input" : path.basename(file));

async function requireThere(id: number): Promise<RunRow> {
  const run = await findRun(db, id);
  if (!run) throw new Error(`run ${id} was deleted`);
  return run;
}
