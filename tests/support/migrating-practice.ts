// A practice to migrate into, new for each test, and what tests do with its runs.
import { beforeAll, beforeEach } from "vitest";
import { type DecisionInput, decideFindings, type FindingChoice } from "@/lib/migration/check/decide";
import { startConversion } from "@/lib/migration/convert/convert-run";
import { db, sql } from "@/lib/platform/db/sql";
import { seedBasics } from "./api";
import { COMPANIES, writeLines } from "./legacy-export";
import { acceptFixes, convert, createCheckedRun, recordsOf, requestFor, seedMigratingPractice } from "./migration-runs";

type Fields = Record<string, unknown>;

interface CheckOptions {
  practiceId?: number;
  companies?: readonly Fields[];
}

/**
 * Seeds a practice before each test of the file. `id` is the practice of the test that is running.
 *
 * @param known the companies of an export unless a call names others
 */
export function seedMigratingPracticeBeforeEach(known: readonly Fields[] = COMPANIES) {
  const seeded = { id: 0, organization: 0 };
  /** Seeds another practice of the same organization. */
  const seedAnother = () => seedMigratingPractice(seeded.organization);
  beforeAll(async () => {
    seeded.organization = (await seedBasics()).organization;
  });
  beforeEach(async () => {
    seeded.id = await seedAnother();
  });

  /** Checks an export of these patients. @returns the run's ID */
  function check(patients: readonly Fields[], { practiceId = seeded.id, companies = known }: CheckOptions = {}) {
    const file = writeLines(`patients-${practiceId}.ndjson`, patients);
    return createCheckedRun(practiceId, file, { companies: writeLines("companies.ndjson", companies) });
  }
  /** Converts an export of these patients with all proposed fixes. @returns the run's ID */
  async function migrate(patients: readonly Fields[], companies = known): Promise<number> {
    const runId = await check(patients, { companies });
    await acceptFixes(seeded.id, runId);
    await convert(seeded.id, runId);
    return runId;
  }
  const decide = (runId: number, choice: FindingChoice, input: DecisionInput) =>
    decideFindings(requestFor(seeded.id), runId, choice, input);
  const startConverting = (runId: number) => startConversion(requestFor(seeded.id), runId);
  return Object.assign(seeded, { seedAnother, check, migrate, decide, startConverting });
}

/** Returns the verdict, state and number of blockers of each record of a run, as one text each. */
export const statesOf = async (runId: number) =>
  (await recordsOf(runId)).map(({ verdict, state, blockers }) => `${verdict} ${state} ${blockers}`);

/** Returns the verdict of each record of a run, and of each of its insurances with what changes. */
export const verdictsOf = async (runId: number) =>
  (await recordsOf(runId)).map(({ external_id, verdict, plan }) => [
    external_id,
    verdict,
    plan?.insurances.map((one) => [one.list, one.id, one.rank, one.verdict, ...one.changes].join(" ")),
  ]);

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
