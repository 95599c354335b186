import { auditChange } from "@/lib/access/audit/commands";
import type { Origin } from "@/lib/access/identity/access";
import { publishEvents } from "@/lib/events/published/publish-events";
import { RANKS } from "@/lib/insurance/fields/limits";
import { queueImageDeletion } from "@/lib/insurance/images/deletion-queue";
import type { PatientWrite } from "@/lib/insurance/patient-write/patient-write";
import { listCompaniesInUse, listStoredPatients } from "@/lib/insurance/patients/import-queries";
import { InsuranceLedger, lockPatients } from "@/lib/insurance/patients/store";
import { type CompanyChange, restoreCompanies } from "@/lib/insurance/payers/commands/import-companies";
import { listCompaniesWithPolicies, listPoliciesWithVersions } from "@/lib/insurance/policies/migration-queries";
import { reconcilePolicies } from "@/lib/insurance/replication/reconcile";
import { withLockedPatient } from "@/lib/insurance/replication/with-locked-patient";
import { accessTo } from "@/lib/migration/convert/convert-known";
import { runOrigin } from "@/lib/migration/convert/convert-run";
import { recordReadiness } from "@/lib/migration/readiness/commands";
import { changeRun, RunInterrupted, type RunRequest, startWork, workBatch } from "@/lib/migration/runs/migration-run";
import { findLastNumber, listStaged, lockForWork } from "@/lib/migration/runs/queries";
import type { Outcome, RunRow, StagedRow, WorkOptions } from "@/lib/migration/runs/schema";
import { hasChanged } from "@/lib/migration/verify/verify-run";
import { isoNow } from "@/lib/platform/clock";
import { db, json, type Sql, sql } from "@/lib/platform/db/sql";
import type { Tx } from "@/lib/platform/db/transaction";
import { BusinessRuleError, ConflictError, NotFoundError, ValidationError } from "@/lib/platform/errors";
import { listPatientsWithRecords } from "@/lib/records/engine/queries";

const BATCH_RECORDS = 100;

/**
 * Starts rolling a run back, which restores everything the run changed except patients edited since. A roll back that stopped
 * resumes with the next record.
 *
 * @throws ValidationError without a reason
 * @throws ConflictError run_state, practice_at_work
 */
export async function startRollBack(request: RunRequest, runId: number): Promise<void> {
  if (!request.origin.reason) throw new ValidationError({ reason: ["Say why: it stays with the run."] });
  await changeRun(request, runId, "roll_back", async (tx, run) => {
    if (run.source === "practice") {
      const why = "It brought policies to where the practice's own legacy records stand, and both sides must agree.";
      throw new BusinessRuleError("nothing_to_roll_back", `There is nothing to roll back in run ${runId}. ${why}`);
    }
    const total = await findLastNumber(tx, runId);
    const done = run.stopped_in === "rolling_back" ? run.done : 0;
    await startWork(tx, run, { state: "rolling_back", total, done, origin: request.origin });
  });
}

/**
 * Rolls a run back in batches, each patient in full or not at all. Removes patients that the run created, keeping a
 * copy, and restores those it changed as new versions. Patients edited since the conversion are left unchanged and
 * listed.
 */
export async function rollBackRun(run: RunRow, { signal, onProgress }: WorkOptions): Promise<RunRow> {
  const origin = runOrigin(run, "migration.roll_back");
  let state = run;
  for (;;) {
    if (signal?.aborted) return state;
    const written = sql`AND r.state IN ('converted', 'verified', 'different')`;
    const records = await listStaged(db, run.id, { after: state.done, limit: BATCH_RECORDS, where: written });
    const last = records.at(-1)?.number;
    if (last === undefined) break;
    for (const row of records.filter(({ outcome }) => outcome && !outcome.created))
      await restoreKnown(state, row, origin);
    const created = records.filter(({ outcome }) => outcome?.created);
    const unwritten = records.filter(({ outcome }) => outcome === null).map(({ number }) => number);
    state = await workBatch(state, async (tx) => {
      await takeOut(tx, run, created, origin);
      await note(tx, run.id, unwritten, "rolled_back");
      return { done: last };
    });
    onProgress?.(state);
  }
  return workBatch(state, async (tx) => {
    const changes = companyChanges(run);
    const ids = changes.map(({ id }) => id);
    const inUse = new Set([...(await listCompaniesInUse(tx, ids)), ...(await listCompaniesWithPolicies(tx, ids))]);
    const companies = await restoreCompanies(tx, run.practice_id, { changes, inUse, origin });
    await recordReadiness(tx, run);
    return { state: "rolled_back", done: state.total, roll_back: { companies } };
  });
}

/** Returns the payers that the run changed. Conversions of earlier releases recorded only those they created. */
function companyChanges({ company_changes: changes, created_companies: created }: RunRow): CompanyChange[] {
  const noted = new Set(changes.map(({ id }) => id));
  const others = (created ?? []).filter((id) => !noted.has(id));
  return [...changes, ...others.map((id) => ({ id, before: null, after: null }))];
}

async function note(tx: Tx, runId: number, numbers: readonly number[], state: "rolled_back" | "kept"): Promise<void> {
  if (numbers.length === 0) return;
  await tx.run(
    sql`UPDATE migration_record SET state = ${state} WHERE run_id = ${runId} AND number = ANY(${[...numbers]}::int[])`,
  );
}

/** Removes patients that the run created, except those edited since. */
async function takeOut(tx: Tx, run: RunRow, records: readonly StagedRow[], origin: Origin): Promise<void> {
  if (records.length === 0) return;
  const ids = records.flatMap(({ patient_id }) => (patient_id === null ? [] : [patient_id]));
  // Lock in id order, as every writer of several patients does.
  const locked = await lockPatients(tx, ids);
  const patients = new Map((await listStoredPatients(tx, ids)).map((patient) => [patient.id, patient]));
  const policies = await listPoliciesWithVersions(tx, ids);
  // Keep patients with clinical records, including deleted ones: the records refer to the patient.
  const withRecords = await listPatientsWithRecords(tx, ids);
  const going: { row: StagedRow; id: number }[] = [];
  const kept: number[] = [];
  for (const row of records) {
    const patient = patients.get(row.patient_id ?? 0);
    const own = policies.filter(({ patient_id }) => patient_id === row.patient_id);
    const isOurs = patient && locked.has(patient.id) && !hasChanged(row, { version: patient.version, policies: own });
    const isAsMade = isOurs && own.length === row.outcome?.policies.length;
    if (isAsMade && !withRecords.has(patient.id)) going.push({ row, id: patient.id });
    else kept.push(row.number);
  }
  await note(tx, run.id, kept, "kept");
  if (going.length === 0) return;
  const gone = going.map(({ id }) => id);
  await publishEvents(tx, { type: "deleted", resource: "patients", ids: gone, practiceId: run.practice_id, origin });
  // Audit before the deletion, because the audit looks up the patients' practice.
  await auditChange(tx, origin, gone);
  const numbers = going.map(({ row }) => row.number);
  await purgeCreatedPatients(tx, { runId: run.id, origin, numbers });
  await note(tx, run.id, numbers, "rolled_back");
}

/** Restores a patient that existed before the run. */
async function restoreKnown(run: RunRow, row: StagedRow, origin: Origin): Promise<void> {
  const { outcome, patient_id: patientId } = row;
  if (outcome === null || patientId === null) throw new Error(`record ${row.number} was not converted`);
  const access = accessTo(run.practice_id, origin);
  try {
    await withLockedPatient({ access, patientId, origin }, "both", async (write) => {
      const locked = await lockForWork(write.tx, run.id);
      if (locked?.state !== run.state) throw new RunInterrupted();
      const policies = await listPoliciesWithVersions(write.tx, [write.patient.id]);
      const isOurs = !hasChanged(row, { version: write.patient.version, policies });
      if (isOurs) await restore(write, run, row, outcome);
      await note(write.tx, run.id, [row.number], isOurs ? "rolled_back" : "kept");
    });
  } catch (error) {
    const isInTheWay =
      error instanceof NotFoundError || (error instanceof ConflictError && error.reason === "stream_blocked");
    if (!isInTheWay) throw error;
    await workBatch(run, async (tx) => {
      await note(tx, run.id, [row.number], "kept");
      return { done: run.done };
    });
  }
}

async function restore(write: PatientWrite, run: RunRow, row: StagedRow, outcome: Outcome): Promise<void> {
  const ids = outcome.before.map(({ id }) => id);
  const ledger = await InsuranceLedger.open(write, [...ids, ...outcome.added]);
  const { cards_before: cards } = outcome;
  for (const rank of cards ? RANKS : []) {
    const shown = cards?.filter((card) => card.rank === rank) ?? [];
    ledger.setCards(
      rank,
      shown.map(({ rank: _rank, ...image }) => image),
    );
  }
  const added = outcome.added.flatMap((id) => ledger.find(id)?.policy_id ?? []);
  for (const id of outcome.added) ledger.remove(id);
  for (const { row: before } of outcome.before) ledger.put(before);
  await ledger.flush();
  if (added.length > 0) {
    const { tx, origin } = write;
    await purgeAddedPolicies(tx, { runId: run.id, origin, number: row.number, policies: added });
  }
  await reconcilePolicies(write, { emptied: false });
}

interface Purge {
  runId: number;
  origin: Origin;
}

/**
 * Deletes the patients that these records of a run created, with their policies, cards and history. The database keeps all of it
 * in `migration_removal` first. They must be locked, and the run must be rolling back.
 */
export async function purgeCreatedPatients(
  tx: Tx,
  { runId, origin, numbers }: Purge & { numbers: readonly number[] },
): Promise<void> {
  const records = sql`${[...numbers]}::int[]`;
  await purge(tx, sql`purge_created_patients(${runId}, ${records}, ${whoAndWhen(origin)})`);
}

/** Deletes policies that a record of a run added to a patient who was here before, likewise. */
export async function purgeAddedPolicies(
  tx: Tx,
  { runId, origin, number, policies }: Purge & { number: number; policies: readonly number[] },
): Promise<void> {
  const ids = sql`${[...policies]}::bigint[]`;
  await purge(tx, sql`purge_added_policies(${runId}, ${number}::int, ${ids}, ${whoAndWhen(origin)})`);
}

/** Images are deleted from the store once nothing refers to them. */
async function purge(tx: Tx, call: Sql): Promise<void> {
  const images = await tx.rows<{ image_key: string }>(sql`SELECT ${call} AS image_key`);
  await queueImageDeletion(
    tx,
    images.map(({ image_key }) => image_key),
    isoNow(),
  );
}

function whoAndWhen({ actor, source, reason, requestId }: Origin): Sql {
  return sql`${json(actor)}, ${source}, ${reason}, ${requestId}, ${isoNow()}::timestamptz`;
}
