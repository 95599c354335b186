// A practice to migrate into, new for each test, and what tests do with its runs.
import { beforeAll, beforeEach } from "vitest";
import { type DecisionInput, decideFindings, type FindingChoice } from "@/lib/migration/check/decide";
import { startConversion } from "@/lib/migration/convert/convert-run";
import { db, sql } from "@/lib/platform/db/sql";
import { seedBasics } from "./api";
import { COMPANIES, writeLines } from "./legacy-export";
import { createCheckedRun, recordsOf, requestFor, seedMigratingPractice } from "./migration-runs";

/** Seeds a practice before each test of the file. `id` is the practice of the test that is running. */
export function useMigratingPractice() {
  let companies: string;
  const practice = {
    id: 0,
    organization: 0,
    /** Seeds another practice of the same organization. */
    seedAnother: () => seedMigratingPractice(practice.organization),
    /** Checks an export of these patients. @returns the run's ID */
    check: (patients: readonly object[], practiceId = practice.id) =>
      createCheckedRun(practiceId, writeLines(`patients-${practiceId}.ndjson`, patients), { companies }),
    decide: (runId: number, choice: FindingChoice, input: DecisionInput) =>
      decideFindings(requestFor(practice.id), runId, choice, input),
    startConverting: (runId: number) => startConversion(requestFor(practice.id), runId),
  };
  beforeAll(async () => {
    practice.organization = (await seedBasics()).organization;
    companies = writeLines("companies.ndjson", COMPANIES);
  });
  beforeEach(async () => {
    practice.id = await practice.seedAnother();
  });
  return practice;
}

/** Returns the verdict, state and number of blockers of each record of a run, as one text each. */
export const statesOf = async (runId: number) =>
  (await recordsOf(runId)).map(({ verdict, state, blockers }) => `${verdict} ${state} ${blockers}`);

export interface DecidedFinding {
  id: number;
  number: number;
  code: string;
  decision: string;
  reason: string | null;
  owner_id: number | null;
  due_date: string | null;
  note: string | null;
  decided_by: { name: string } | null;
}

/** Returns the findings of a run with what was decided on each, in the order of its records. */
export const decisionsOf = (runId: number) =>
  db.rows<DecidedFinding>(sql`
    SELECT id, number, code, decision, reason, owner_id, due_date, note, decided_by FROM migration_finding
    WHERE run_id = ${runId} ORDER BY number, id`);
