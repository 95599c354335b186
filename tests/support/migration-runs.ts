// Drives runs of the migration assistant.
import path from "node:path";
import { mintAccess, systemOrigin } from "@/lib/access/identity/access";
import { decideFindings } from "@/lib/migration/check/decide";
import type { FindingFilter } from "@/lib/migration/check/review-queries";
import { startConversion } from "@/lib/migration/convert/convert-run";
import type { PatientPlan } from "@/lib/migration/plan/plan-patient";
import { readRunCompanies } from "@/lib/migration/read/companies-file";
import { startRollBack } from "@/lib/migration/rollback/roll-back-run";
import { createStartedRun } from "@/lib/migration/runs/migration-run";
import type { Outcome, RunRow } from "@/lib/migration/runs/schema";
import { startVerification } from "@/lib/migration/verify/verify-run";
import { workRun } from "@/lib/migration/work/run-worker";
import { db, sql } from "@/lib/platform/db/sql";
import { fileSource } from "@/lib/platform/files/source";
import { seedPhysician, seedPractice } from "./api";

const ORIGIN = systemOrigin({ name: "Test", source: "migration", operation: "test", reason: "a test" });

export const requestFor = (practiceId: number) => ({
  access: mintAccess({ practices: [practiceId], actor: ORIGIN.actor }),
  origin: ORIGIN,
});

/** Creates a practice to migrate into, with the one physician that patients need. */
export async function seedMigratingPractice(organization: number): Promise<number> {
  const id = await seedPractice(organization, "Migrating", true);
  await seedPhysician(id);
  return id;
}

/** Starts a run that checks a file for a practice. @returns the run's ID */
export async function createCheckedRun(
  practiceId: number,
  file: string,
  options: { companies?: string | undefined; asOf?: string; follows?: number | undefined; traceparent?: string } = {},
): Promise<number> {
  const { companies, asOf = "2025-10-01", follows, ...traced } = options;
  const source = await fileSource(file);
  const { access, origin } = requestFor(practiceId);
  const request = { access, origin: { ...origin, ...traced } };
  const listed = companies ? await readRunCompanies(await fileSource(companies)) : [];
  const run = {
    practiceId,
    name: path.basename(file),
    size: source.size,
    asOf,
    columns: null,
    companies: listed,
    follows,
  };
  const id = await createStartedRun(request, run);
  await expectState(await workRun(id, { source }), "checked");
  return id;
}

/** Skips every record with an error, with a reason. */
export async function skipErrors(practiceId: number, runId: number): Promise<void> {
  const filter = { severity: "error", decision: "open" } as const;
  await decideFindings(requestFor(practiceId), runId, { filter }, { decide: "skip", reason: "Entered by hand later" });
}

/** Accepts every proposed fix, and confirms that insurances missing from the export have ended. */
export async function acceptFixes(practiceId: number, runId: number): Promise<number> {
  const accept = async (filter: FindingFilter) =>
    (await decideFindings(requestFor(practiceId), runId, { filter }, { decide: "accept" })).decided;
  const fixes = await accept({ fix: true, decision: "open" });
  return fixes + (await accept({ code: "insurance_absent", decision: "open" }));
}

export async function convert(practiceId: number, runId: number): Promise<void> {
  await startConversion(requestFor(practiceId), runId);
  await expectState(await workRun(runId), "converted");
}

export async function verify(practiceId: number, runId: number) {
  await startVerification(requestFor(practiceId), runId);
  const run = await workRun(runId);
  await expectState(run, "verified");
  return run?.verification;
}

export async function rollBack(practiceId: number, runId: number): Promise<void> {
  await startRollBack(requestFor(practiceId), runId);
  await expectState(await workRun(runId), "rolled_back");
}

async function expectState(run: RunRow | null, state: string): Promise<void> {
  if (run?.state !== state) throw new Error(`the run is ${run?.state}, not ${state}: ${run?.error}`);
}

export interface RecordRow {
  number: number;
  external_id: string | null;
  verdict: string;
  plan: PatientPlan | null;
  state: string;
  blockers: number;
  patient_id: number | null;
  outcome: Outcome | null;
  differences: { where: string; field: string }[] | null;
}

export function recordsOf(runId: number): Promise<RecordRow[]> {
  return db.rows<RecordRow>(sql`
    SELECT number, external_id, verdict, plan, state, blockers, patient_id, outcome, differences
    FROM migration_record WHERE run_id = ${runId} ORDER BY number`);
}

export function findingsOf(runId: number) {
  return db.rows<{ patient: string; insurance: string | null; code: string; severity: string; decision: string }>(sql`
    SELECT patient, insurance, code, severity, decision FROM migration_finding WHERE run_id = ${runId} ORDER BY id`);
}

/** An insurance of a practice: its fields, and the images that are shown. Keyed by `patient insurance` in external IDs. */
export interface LegacyInsurance {
  fields: Record<string, unknown>;
  isCurrent: boolean;
  cards: string[];
}

/** Reads every legacy insurance from the other system, with the cards at its rank. */
export async function readLegacyInsurances(practiceId: number): Promise<Map<string, LegacyInsurance>> {
  const rows = await db.rows<{ key: string; fields: Record<string, unknown>; cards: string[] }>(sql`
    SELECT p.external_id || ' ' || i.external_id AS key, to_jsonb(i) AS fields, ARRAY(
      SELECT c.side || ' ' || c.image_key FROM legacy_card c WHERE c.patient_id = p.id AND c.rank = i.rank
        AND c.ended_date IS NULL AND i.deleted_date IS NULL ORDER BY 1) AS cards
    FROM patient_insurance i JOIN patient p ON p.id = i.patient_id
    WHERE i.practice_id = ${practiceId} AND i.external_id IS NOT NULL`);
  return new Map(
    rows.map(({ key, fields, cards }) => [key, { fields, isCurrent: fields.deleted_date === null, cards }]),
  );
}

type Rows = Record<string, unknown>[];

/** Reads both stores of a practice, without counts and times. */
export async function readStores(practiceId: number): Promise<Record<string, Rows>> {
  const own = sql`patient_id IN (SELECT id FROM patient WHERE practice_id = ${practiceId})`;
  const list = async (rows: Promise<{ row: Record<string, unknown> }[]>) => (await rows).map(({ row }) => row);
  return {
    patients: await list(
      db.rows(sql`SELECT to_jsonb(p) - 'version' - 'last_modified' AS row FROM patient p
        WHERE practice_id = ${practiceId} ORDER BY id`),
    ),
    insurances: await list(db.rows(sql`SELECT to_jsonb(i) AS row FROM patient_insurance i WHERE ${own} ORDER BY id`)),
    policies: await list(
      db.rows(sql`SELECT to_jsonb(p) - 'version' - 'modified_date' AS row FROM policy p WHERE ${own} ORDER BY id`),
    ),
    cards: await list(
      db.rows(sql`SELECT to_jsonb(c) - 'id' AS row FROM legacy_card c WHERE ${own} AND ended_date IS NULL
        ORDER BY patient_id, rank, side`),
    ),
    images: await list(
      db.rows(sql`SELECT to_jsonb(g) - 'id' - 'from_version' AS row FROM policy_card_image g
        WHERE to_version IS NULL AND policy_id IN (SELECT id FROM policy WHERE ${own}) ORDER BY policy_id, image_rank`),
    ),
  };
}

/** Reads every version of every policy and patient of a practice; the set only grows. */
export async function versionsOf(practiceId: number): Promise<Set<string>> {
  const own = sql`patient_id IN (SELECT id FROM patient WHERE practice_id = ${practiceId})`;
  const rows = await db.rows<{ version: string }>(sql`
    SELECT to_jsonb(v)::text AS version FROM policy_version v WHERE ${own}
    UNION ALL SELECT to_jsonb(v)::text FROM patient_version v WHERE ${own}`);
  return new Set(rows.map(({ version }) => version));
}
