import { isDeepStrictEqual } from "node:util";
import { auditChange } from "@/lib/access/audit/commands";
import type { Origin } from "@/lib/access/identity/access";
import type { ImportedPatient } from "@/lib/insurance/patients/import-patients";
import { upsertCompanies } from "@/lib/insurance/payers/commands/import-companies";
import {
  type CheckedStaged,
  type CompanyKnowledge,
  checkRecords,
  findCompanies,
  storeChecks,
} from "@/lib/migration/check/check-run";
import { convertKnown } from "@/lib/migration/convert/convert-known";
import { convertOwn } from "@/lib/migration/convert/convert-own";
import { firstOfEach } from "@/lib/migration/findings/company-lists";
import type { Destination } from "@/lib/migration/plan/target-patient";
import { recordReadiness } from "@/lib/migration/readiness/count-readiness";
import { fingerprintOf } from "@/lib/migration/record/read-record";
import type { StagedPatient } from "@/lib/migration/record/staged-record";
import { changeRun, type RunRequest, startWork, workBatch } from "@/lib/migration/runs/migration-run";
import { listStaged } from "@/lib/migration/runs/queries";
import type { Outcome, RunRow, StagedRow } from "@/lib/migration/runs/schema";
import type { WorkOptions } from "@/lib/migration/runs/work-options";
import { isoNow } from "@/lib/platform/clock";
import { db, sql } from "@/lib/platform/db/sql";
import type { Tx } from "@/lib/platform/db/transaction";
import { BusinessRuleError } from "@/lib/platform/errors";
import { listPhysiciansForImport } from "@/lib/practice/physicians/import-queries";
import { type Converted, markConverted } from "./mark-converted";
import { forgetCards, type PreparedPatient, preparePatient, withImages } from "./prepare-patient";
import { isRefusal, writePatients } from "./write-patients";

const BATCH_RECORDS = 100;

/** Returns the origin of a run's changes: who started the conversion, with the run named in every version. */
export function runOrigin(run: RunRow, operation: "migration.convert" | "migration.roll_back"): Origin {
  const what = operation === "migration.convert" ? `Migration run ${run.id}` : `Roll back of migration run ${run.id}`;
  const { reason } = run.origin;
  return { ...run.origin, source: "migration", operation, reason: reason ? `${what}: ${reason}` : what };
}

/**
 * Starts or resumes the conversion of a checked run.
 *
 * @throws BusinessRuleError blockers_remain: undecided errors
 * @throws ConflictError run_state, practice_at_work
 */
export async function startConversion(request: RunRequest, runId: number): Promise<void> {
  await changeRun(request, runId, "convert", async (tx, run) => {
    const left = await tx.first<{ records: number; findings: number; total: number }>(sql`
      SELECT count(*) FILTER (WHERE blockers > 0) AS records, coalesce(sum(blockers), 0) AS findings,
        coalesce(max(number), 0) AS total
      FROM migration_record WHERE run_id = ${runId}`);
    const { records = 0, findings = 0, total = 0 } = left ?? {};
    if (records > 0) {
      throw new BusinessRuleError(
        "blockers_remain",
        `${records} records can't be converted for ${findings} errors. Mend each, or leave the record out with a reason.`,
      );
    }
    await startWork(tx, run, { state: "converting", total, origin: request.origin });
  });
}

/**
 * Converts the records of a run in batches, each patient in full or not at all. A record whose check now has another
 * result is not converted. It becomes stale, for staff to review the new plan.
 */
export async function convertRun(run: RunRow, { signal, onProgress }: WorkOptions): Promise<RunRow> {
  const origin = runOrigin(run, "migration.convert");
  let state = await upsertRunCompanies(run, origin);
  const companies = await findCompanies(run);
  const destination = await findDestination(run.practice_id, companies);
  for (;;) {
    if (signal?.aborted) return state;
    const ready = sql`AND r.state IN ('checked', 'stale') AND r.verdict <> 'refused'`;
    const records = await listStaged(db, run.id, { after: state.done, limit: BATCH_RECORDS, where: ready });
    if (records.length === 0) break;
    state = await convertBatch(state, records, { origin, destination, companies });
    onProgress?.(state);
  }
  return workBatch(state, async (tx) => {
    await tx.run(sql`
      UPDATE migration_record SET state = 'left_out'
      WHERE run_id = ${run.id} AND state IN ('checked', 'stale') AND verdict = 'refused' AND blockers = 0`);
    await recordReadiness(tx, run);
    return { state: "converted", done: state.total };
  });
}

async function upsertRunCompanies(run: RunRow, origin: Origin): Promise<RunRow> {
  if (run.created_companies !== null) return run;
  return workBatch(run, async (tx) => {
    const { created, changes } = await upsertCompanies(tx, run.practice_id, firstOfEach(run.companies), origin);
    return { created_companies: created, company_changes: changes };
  });
}

async function findDestination(practiceId: number, companies: CompanyKnowledge): Promise<Destination> {
  const physicians = await listPhysiciansForImport(db, practiceId);
  const [first] = physicians;
  if (!first)
    throw new BusinessRuleError("no_physician", "The practice has no physician, and every patient needs one.");
  return {
    practiceId,
    physicians: new Map(physicians.flatMap(({ id, external_id }) => (external_id === null ? [] : [[external_id, id]]))),
    firstPhysician: first.id,
    companies: companies.byExternalId,
  };
}

interface ConversionContext {
  origin: Origin;
  destination: Destination;
  companies: CompanyKnowledge;
}

type Ready = { row: StagedRow; patient: StagedPatient };
type NewPatient = { number: number; prepared: PreparedPatient };

async function convertBatch(run: RunRow, records: readonly StagedRow[], context: ConversionContext): Promise<RunRow> {
  const results = await checkRecords(run, records, context.companies);
  const stale = results.filter((result) => !isAsChecked(result));
  const ready = results.filter(isAsChecked).flatMap(toReady);
  for (const one of ready.filter(({ row }) => row.verdict === "update" || row.verdict === "archive")) {
    const { row, patient } = one;
    const done =
      run.source === "practice"
        ? await convertOwn(run, row, context)
        : await convertKnown(run, { row, patient, images: await loadImages(run.id, one) }, context);
    if (!done) stale.push(...results.filter((result) => result.row.number === row.number));
  }
  const fresh = ready.filter(({ row }) => row.verdict === "create");
  // One timestamp per batch, so that verification can recompute what was written.
  const now = isoNow();
  const prepared = await prepareNew(run, fresh, { destination: context.destination, now });
  const attempt = (work: (tx: Tx) => Promise<Map<number, ImportedPatient>>) =>
    workBatch(run, async (tx) => {
      const written = await work(tx);
      await auditChange(
        tx,
        context.origin,
        [...written.values()].map(({ id }) => id),
      );
      const made = [...written].map(([number, patient]) => ({
        number,
        patient_id: patient.id,
        outcome: createdOutcome(patient),
      }));
      await markConverted(tx, run.id, [...made, ...ready.flatMap(({ row }) => toUnchanged(row))]);
      await markStale(tx, run.id, stale);
      const failed = fresh.filter(({ row }) => !written.has(row.number));
      await markStale(
        tx,
        run.id,
        results.filter(({ row }) => failed.some((one) => one.row.number === row.number)),
      );
      return { done: records.at(-1)?.number ?? run.done };
    });
  const write = { destination: context.destination, origin: context.origin, now };
  try {
    return await attempt(async (tx) => {
      const written = await writePatients(
        tx,
        prepared.map((one) => one.prepared),
        write,
      );
      return new Map(
        written.flatMap((patient, at): [number, ImportedPatient][] => {
          const one = prepared[at];
          return one ? [[one.number, patient]] : [];
        }),
      );
    });
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
  let written: ReadonlyMap<number, ImportedPatient> = new Map();
  const converted = await attempt(async (tx) => {
    const each = await writeOneByOne(tx, prepared, write);
    written = each;
    return each;
  });
  for (const { number, prepared: one } of prepared) if (!written.has(number)) await forgetCards(one.patient.cards);
  return converted;
}

/** Returns whether the check has the result that staff reviewed. */
function isAsChecked({ row, checked }: CheckedStaged): boolean {
  return row.verdict === checked.verdict && isDeepStrictEqual(row.plan, JSON.parse(JSON.stringify(checked.plan)));
}

function toReady({ row, checked: { patient } }: CheckedStaged): Ready[] {
  return patient ? [{ row, patient }] : [];
}

/**
 * Loads the card images of a record, keyed by `rank side`. One record at a time, because images can take much memory.
 */
async function loadImages(
  runId: number,
  { row: { number }, patient }: Ready,
): Promise<Map<string, Uint8Array<ArrayBuffer>>> {
  if (patient.insurance_cards.length === 0) return new Map();
  const rows = await db.rows<{ rank: number; side: number; bytes: Buffer }>(
    sql`SELECT rank, side, bytes FROM migration_image WHERE run_id = ${runId} AND number = ${number}`,
  );
  return new Map(rows.map(({ rank, side, bytes }) => [`${rank} ${side}`, new Uint8Array(bytes)]));
}

async function prepareNew(
  run: RunRow,
  records: readonly Ready[],
  { destination, now }: { destination: Destination; now: string },
): Promise<NewPatient[]> {
  const prepared: NewPatient[] = [];
  for (const one of records) {
    const { row, patient } = one;
    const images = await loadImages(run.id, one);
    const whole = withImages(patient, images);
    const result = await preparePatient({ patient: whole, fingerprint: fingerprintOf(whole) }, destination, now);
    if (!("reason" in result)) prepared.push({ number: row.number, prepared: result });
  }
  return prepared;
}

async function writeOneByOne(
  tx: Tx,
  prepared: readonly NewPatient[],
  write: { destination: Destination; origin: Origin; now: string },
): Promise<Map<number, ImportedPatient>> {
  const written = new Map<number, ImportedPatient>();
  for (const one of prepared) {
    await tx.run(sql`SAVEPOINT one_patient`);
    try {
      const [patient] = await writePatients(tx, [one.prepared], write);
      if (patient) written.set(one.number, patient);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      await tx.run(sql`ROLLBACK TO SAVEPOINT one_patient`);
    }
    await tx.run(sql`RELEASE SAVEPOINT one_patient`);
  }
  return written;
}

function createdOutcome({ fingerprint, insurances, cards }: ImportedPatient): Outcome {
  return {
    created: true,
    fingerprint,
    version: 1,
    policies: insurances.map(({ policy_id: id, deleted_date }) => ({ id, version: deleted_date === null ? 1 : 2 })),
    before: [],
    added: insurances.map(({ id }) => id),
    companies: Object.fromEntries(insurances.map((row) => [row.external_id, row.insurance_company])),
    cards: cards.map(({ rank, image_rank: side, ...image }) => ({ rank, side, ...image })),
  };
}

/** Marks an unchanged record as converted: there was nothing to write, but it is verified. */
function toUnchanged({ number, verdict, plan }: StagedRow): Converted[] {
  if (verdict !== "unchanged" || !plan?.patient) return [];
  return [{ number, patient_id: plan.patient, outcome: null }];
}

/** Stores the new check results of records whose plan changed or that couldn't be written, for staff to review. */
async function markStale(tx: Tx, runId: number, results: readonly CheckedStaged[]): Promise<void> {
  if (results.length === 0) return;
  await storeChecks(tx, runId, results);
  const numbers = results.map(({ row }) => row.number);
  await tx.run(
    sql`UPDATE migration_record SET state = 'stale' WHERE run_id = ${runId} AND number = ANY(${numbers}::int[])`,
  );
}
