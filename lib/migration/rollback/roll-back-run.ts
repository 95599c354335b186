import { auditChange } from "@/lib/access/audit/commands";
import type { Origin } from "@/lib/access/identity/access";
import { publishEvents } from "@/lib/events/published/publish-events";
import { RANKS } from "@/lib/insurance/fields/limits";
import { queueImageDeletion } from "@/lib/insurance/images/deletion-queue";
import { findPatientsWithNotes, haveNotes } from "@/lib/insurance/notes/queries";
import type { PatientWrite } from "@/lib/insurance/patient-write/patient-write";
import { listCompaniesInUse } from "@/lib/insurance/patients/import-queries";
import { InsuranceLedger, lockPatients } from "@/lib/insurance/patients/store";
import { type CompanyChange, restoreCompanies } from "@/lib/insurance/payers/commands/import-companies";
import { listCompaniesWithPolicies, listVersionedPolicies } from "@/lib/insurance/policies/migration-queries";
import { reconcilePolicies } from "@/lib/insurance/replication/reconcile";
import { withLockedPatient } from "@/lib/insurance/replication/with-locked-patient";
import { mintPracticeAccess } from "@/lib/migration/convert/convert-known";
import { runOrigin } from "@/lib/migration/convert/convert-run";
import { prepareAhead, writeOverlapping } from "@/lib/migration/runs/batches";
import {
  changeRun,
  RunInterrupted,
  type RunRequest,
  setRecordState,
  startWork,
  workBatch,
} from "@/lib/migration/runs/migration-run";
import { findLastNumber, lockForWork } from "@/lib/migration/runs/queries";
import { recordCounts } from "@/lib/migration/runs/run-groups";
import type { Outcome, RunRow, StagedRow, WorkOptions } from "@/lib/migration/runs/schema";
import { listNextStaged } from "@/lib/migration/runs/staged-records";
import { hasChanged } from "@/lib/migration/verify/verify-run";
import { isoNow } from "@/lib/platform/clock";
import { db, json, type Sql, sql } from "@/lib/platform/db/sql";
import type { Tx } from "@/lib/platform/db/transaction";
import { BusinessRuleError, ConflictError, NotFoundError, ValidationError } from "@/lib/platform/errors";
import { groupBy } from "@/lib/platform/objects";
import { listPatientsWithRecords } from "@/lib/records/engine/queries";

const BATCH_RECORDS = 100;
/** The columns of a record that a rollback needs. */
const ROLLED_BACK_COLUMNS = ["number", "patient_id", "outcome"] as const;
/** Selects records `r` that a rollback has not reached. */
const CONVERTED = sql`AND r.state IN ('converted', 'verified', 'different')`;
type ConvertedRow = Pick<StagedRow, (typeof ROLLED_BACK_COLUMNS)[number]>;

/**
 * Starts a rollback, which restores everything the run changed except patients edited since. A rollback that stopped
 * resumes with the next record.
 *
 * @throws ValidationError if the reason is missing
 * @throws ConflictError run_state, practice_at_work
 */
export async function startRollBack(request: RunRequest, runId: number): Promise<void> {
  if (!request.origin.reason) throw new ValidationError({ reason: ["Enter a reason for the rollback."] });
  await changeRun(request, runId, "roll_back", async (tx, run) => {
    if (run.source === "practice") {
      const why = "It only updated policies to match the practice's legacy records, and both must stay in sync.";
      throw new BusinessRuleError("nothing_to_roll_back", `Run ${runId} can't be rolled back. ${why}`);
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
export async function rollBackRun(run: RunRow, options: WorkOptions): Promise<RunRow> {
  const origin = runOrigin(run, "migration.roll_back");
  const batches = prepareAhead(run.done, async (after) => {
    const next = await listNextStaged(
      db,
      run.id,
      { after, until: run.total, limit: BATCH_RECORDS, where: CONVERTED },
      ROLLED_BACK_COLUMNS,
    );
    return next && { batch: next.records, last: next.last };
  });
  const state = await writeOverlapping(
    run,
    batches,
    async (previous, { batch: records, last }) => {
      const changed = records.filter(({ outcome }) => outcome && !outcome.created);
      for (const row of changed) await restoreKnown(await previous, row, origin);
      const created = records.filter(({ outcome }) => outcome?.created);
      const unwritten = records.filter(({ outcome }) => outcome === null).map(({ number }) => number);
      const writing = workBatch(previous, async (tx) => {
        await removeCreated(tx, run, created, origin);
        setRecordState(tx, run.id, unwritten, "rolled_back");
        return { done: last };
      });
      return { writing };
    },
    options,
  );
  if (options.signal?.aborted) return state;
  return workBatch(state, async (tx) => {
    const changes = companyChanges(run);
    const ids = changes.map(({ id }) => id);
    const inPolicies = await listCompaniesWithPolicies(tx, run.practice_id, ids);
    const inUse = new Set([...(await listCompaniesInUse(tx, ids)), ...inPolicies]);
    const companies = await restoreCompanies(tx, run.practice_id, { changes, inUse, origin });
    await recordCounts(tx, state);
    return { state: "rolled_back", done: state.total, roll_back: { companies } };
  });
}

/** Returns the payers that the run changed. Conversions of earlier releases recorded only those they created. */
function companyChanges({ company_changes: changes, created_companies: created }: RunRow): CompanyChange[] {
  const recorded = new Set(changes.map(({ id }) => id));
  const others = (created ?? []).filter((id) => !recorded.has(id));
  return [...changes, ...others.map((id) => ({ id, before: null, after: null }))];
}

/** Removes patients that the run created, except those edited since. */
async function removeCreated(tx: Tx, run: RunRow, records: readonly ConvertedRow[], origin: Origin): Promise<void> {
  if (records.length === 0) return;
  const ids = records.flatMap(({ patient_id }) => (patient_id === null ? [] : [patient_id]));
  // Lock in id order, as every writer of several patients does.
  // Keep patients with clinical records, even deleted ones, because the records refer to the patient. Notes of staff are edits.
  const [locked, versioned, withRecords, withNotes] = await Promise.all([
    lockPatients(tx, ids),
    listVersionedPolicies(tx, ids),
    listPatientsWithRecords(tx, ids),
    findPatientsWithNotes(tx, ids),
  ]);
  const policies = groupBy(versioned, ({ patient_id }) => patient_id);
  const removable: { row: ConvertedRow; id: number }[] = [];
  const kept: number[] = [];
  for (const row of records) {
    const id = row.patient_id ?? 0;
    const version = locked.get(id);
    const ownPolicies = policies.get(id) ?? [];
    const isOurs = version !== undefined && !hasChanged(row, { version, policies: ownPolicies });
    const isUnchanged = isOurs && ownPolicies.length === row.outcome?.policies.length;
    if (isUnchanged && !withRecords.has(id) && !withNotes.has(id)) removable.push({ row, id });
    else kept.push(row.number);
  }
  setRecordState(tx, run.id, kept, "kept");
  if (removable.length === 0) return;
  const removed = removable.map(({ id }) => id);
  await publishEvents(tx, { type: "deleted", resource: "patients", ids: removed, practiceId: run.practice_id, origin });
  // Audit before the deletion, because the audit looks up the patients' practice.
  await auditChange(tx, origin, removed);
  const numbers = removable.map(({ row }) => row.number);
  await purgeCreatedPatients(tx, { runId: run.id, origin, numbers });
  setRecordState(tx, run.id, numbers, "rolled_back");
}

/** Restores a patient that existed before the run. */
async function restoreKnown(run: RunRow, row: ConvertedRow, origin: Origin): Promise<void> {
  const { outcome, patient_id: patientId } = row;
  if (outcome === null || patientId === null) throw new Error(`record ${row.number} was not converted`);
  const access = mintPracticeAccess(run.practice_id, origin);
  try {
    await withLockedPatient({ access, patientId, origin }, "both", async (write) => {
      const [locked, record] = await Promise.all([
        lockForWork(write.tx, run.id),
        write.tx.first(sql`
          SELECT number FROM migration_record r WHERE run_id = ${run.id} AND number = ${row.number} ${CONVERTED}`),
      ]);
      if (locked?.state !== run.state) throw new RunInterrupted();
      // A worker that lost the run may have restored the patient since.
      if (!record) return;
      const policies = await listVersionedPolicies(write.tx, [write.patient.id]);
      const hasNotes = await haveNotes(write.tx, outcome.added);
      const isOurs = !hasNotes && !hasChanged(row, { version: write.patient.version, policies });
      if (isOurs) await restore(write, run, row, outcome);
      setRecordState(write.tx, run.id, [row.number], isOurs ? "rolled_back" : "kept");
    });
  } catch (error) {
    const isPassedOver =
      error instanceof NotFoundError || (error instanceof ConflictError && error.reason === "stream_blocked");
    if (!isPassedOver) throw error;
    await workBatch(run, async (tx) => {
      setRecordState(tx, run.id, [row.number], "kept");
      return { done: run.done };
    });
  }
}

async function restore(write: PatientWrite, run: RunRow, row: ConvertedRow, outcome: Outcome): Promise<void> {
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
 * Deletes the patients that records of a run created, with their policies, cards and history. The database first copies
 * them to `migration_removal`. The patients must be locked, and the run must be rolling back.
 */
async function purgeCreatedPatients(
  tx: Tx,
  { runId, origin, numbers }: Purge & { numbers: readonly number[] },
): Promise<void> {
  const records = sql`${[...numbers]}::int[]`;
  await purge(tx, sql`purge_created_patients(${runId}, ${records}, ${toArguments(origin)})`);
}

/** Deletes policies that a record of a run added to an existing patient, with a copy in `migration_removal`. */
async function purgeAddedPolicies(
  tx: Tx,
  { runId, origin, number, policies }: Purge & { number: number; policies: readonly number[] },
): Promise<void> {
  const ids = sql`${[...policies]}::bigint[]`;
  await purge(tx, sql`purge_added_policies(${runId}, ${number}::int, ${ids}, ${toArguments(origin)})`);
}

/** Runs a purge and queues its images for deletion. */
async function purge(tx: Tx, call: Sql): Promise<void> {
  const images = await tx.rows<{ image_key: string }>(sql`SELECT ${call} AS image_key`);
  await queueImageDeletion(
    tx,
    images.map(({ image_key }) => image_key),
    isoNow(),
  );
}

function toArguments({ actor, source, reason, requestId }: Origin): Sql {
  return sql`${json(actor)}, ${source}, ${reason}, ${requestId}, ${isoNow()}::timestamptz`;
}
