import { auditChange } from "@/lib/access/audit/commands";
import type { Origin } from "@/lib/access/identity/access";
import { upsertCompanies } from "@/lib/insurance/payers/commands/import-companies";
import {
  type CheckedStaged,
  type CheckInput,
  type CompanyKnowledge,
  checkEach,
  checkRecords,
  findCompanies,
  readForCheck,
  storeChecks,
} from "@/lib/migration/check/check-run";
import { type Destination, firstOfEach } from "@/lib/migration/record/mapping";
import { prepareAhead, refreshRunStatistics, thenAhead, writeOverlapping } from "@/lib/migration/runs/batches";
import { changeRun, type RunRequest, setRecordState, startWork, workBatch } from "@/lib/migration/runs/migration-run";
import { findLastNumber } from "@/lib/migration/runs/queries";
import { toTotals } from "@/lib/migration/runs/run-counts";
import { changeCounted, findGroups, recordCounts } from "@/lib/migration/runs/run-groups";
import type { RunRow, StagedRow, WorkOptions } from "@/lib/migration/runs/schema";
import { listNextStaged, listStagedByNumber } from "@/lib/migration/runs/staged-records";
import { isoNow } from "@/lib/platform/clock";
import type { StillHeld } from "@/lib/platform/db/advisory-lock";
import { kysely } from "@/lib/platform/db/kysely";
import { chunks, db, sql } from "@/lib/platform/db/sql";
import type { Tx } from "@/lib/platform/db/transaction";
import { BusinessRuleError } from "@/lib/platform/errors";
import { listPhysiciansForImport } from "@/lib/practice/physicians/queries";
import { convertKnown, convertOwn, isSamePlan } from "./convert-known";
import {
  type Converted,
  discardCards,
  isRejectedData,
  loadImages,
  mapNew,
  mapWithCards,
  markConverted,
  type PreparedPatients,
  type PreparedRecord,
  prepareNew,
  type ReadyRecord,
  writeNew,
  writeNewOneByOne,
} from "./convert-new";

const BATCH_RECORDS = 200;

/** Returns the origin of a run's changes: the user who started the work, and the run as the reason. */
export function runOrigin(run: RunRow, operation: "migration.convert" | "migration.roll_back"): Origin {
  const what = operation === "migration.convert" ? `Migration run ${run.id}` : `Rollback of migration run ${run.id}`;
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
    const { records, findings } = toTotals((await findGroups(tx, runId)).records).blocked;
    if (records > 0) {
      throw new BusinessRuleError(
        "blockers_remain",
        `Resolve the open errors first (${findings} in ${records} of the records). Fix each error, or skip its record with a reason.`,
      );
    }
    const total = await findLastNumber(tx, runId);
    await startWork(tx, run, { state: "converting", total, origin: request.origin });
  });
}

/**
 * Converts the records of a run in batches, each patient in full or not at all. Checks each record again first. If the
 * result differs from what staff reviewed, the record becomes stale instead, and staff review the new plan.
 */
export async function convertRun(run: RunRow, options: WorkOptions & { stillHeld: StillHeld }): Promise<RunRow> {
  const origin = runOrigin(run, "migration.convert");
  const started = await upsertRunCompanies(run, origin);
  const companies = await findCompanies(run);
  const destination = await findDestination(run.practice_id, companies);
  const context = { origin, destination, companies, stillHeld: options.stillHeld };
  const where = sql`AND r.state IN ('checked', 'stale') AND r.verdict <> 'refused'`;
  const read = prepareAhead(started.done, async (after) => {
    const page = { after, until: run.total, limit: BATCH_RECORDS, where };
    const next = await listNextStaged(db, run.id, page);
    return next && { batch: await readForCheck(run, next.records, companies), last: next.last };
  });
  const batches = thenAhead(read, (input) => prepareBatch(run, input, context));
  const state = await writeOverlapping(
    started,
    batches,
    (previous, { batch, last }) => beginBatch(previous, batch, { ...context, run, last }),
    options,
  );
  if (options.signal?.aborted) return state;
  await refreshRunStatistics(run);
  return workBatch(state, async (tx) => {
    await recordCounts(tx, state);
    await leaveOutRefused(tx, run);
    return { state: "converted", done: state.total };
  });
}

/** Records that one statement leaves out, because statements have a time limit. */
const REFUSED_AT_ONCE = 10_000;

/** Marks refused records without undecided errors as left out, because no batch reads them. */
async function leaveOutRefused(tx: Tx, run: RunRow): Promise<void> {
  const refused = await tx.rows(
    kysely
      .selectFrom("migration_record")
      .select("number")
      .where("run_id", "=", run.id)
      .where("state", "in", ["checked", "stale"])
      .where("verdict", "=", "refused")
      .where("blockers", "=", 0),
  );
  const numbers = refused.map(({ number }) => number);
  if (numbers.length === 0) return;
  await changeCounted(tx, run, numbers, async () => {
    for (const part of chunks(numbers, REFUSED_AT_ONCE)) setRecordState(tx, run.id, part, "left_out");
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
    throw new BusinessRuleError(
      "no_physician",
      "The practice has no physician, and every patient needs one. Add a physician first.",
    );
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
  /** While the lock is held, no stored image is deleted as an orphan. */
  stillHeld: StillHeld;
}

/** A batch that is checked again. Of new patients without card images, it has what writes them instead of their records. */
interface PreparedBatch {
  /** Records of patients that the practice has. */
  known: readonly ReadyRecord[];
  withCards: readonly ReadyRecord[];
  withoutCards: PreparedPatients;
  unchanged: readonly Converted[];
  /** Records whose check has another result now. */
  stale: readonly CheckedStaged[];
  /** One timestamp per batch, so that verification can recompute what was written. */
  now: string;
}

const hasCards = ({ patient }: ReadyRecord) => patient.insurance_cards.length > 0;

/** Checks records again and prepares their conversion. Writes nothing. */
async function prepareBatch(run: RunRow, input: CheckInput, context: ConversionContext): Promise<PreparedBatch> {
  const now = isoNow();
  const [known, withCards, simple]: [ReadyRecord[], ReadyRecord[], PreparedRecord[]] = [[], [], []];
  const [unchanged, stale]: [Converted[], CheckedStaged[]] = [[], []];
  // Maps each record at once, because many objects in memory make garbage collection slow.
  for await (const result of checkEach(run, input, context.companies)) {
    const { verdict } = result.row;
    const [ready] = toReady(result);
    if (!isAsChecked(result)) stale.push(result);
    else if (!ready) continue;
    else if (verdict === "unchanged") unchanged.push(...toUnchanged(ready.row));
    else if (verdict === "update" || verdict === "archive") known.push(ready);
    else if (verdict === "create" && hasCards(ready)) withCards.push(ready);
    else if (verdict === "create") simple.push(...mapNew([ready], { ...context, now }));
  }
  return { known, withCards, withoutCards: await prepareNew(simple, { ...context, now }), unchanged, stale, now };
}

/**
 * Converts the patients of the practice and stores card images, one after the other and once the previous batch has committed. Then
 * begins to write the new patients.
 */
async function beginBatch(
  previous: Promise<RunRow>,
  batch: PreparedBatch,
  context: ConversionContext & { run: RunRow; last: number },
): Promise<{ writing: Promise<RunRow> }> {
  const { run } = context;
  const { known, withCards, now } = batch;
  if (known.length > 0 || withCards.length > 0) await previous;
  const passedOver: StagedRow[] = [];
  for (const record of known) {
    const isWritten =
      run.source === "practice"
        ? await convertOwn(run, record.row, context)
        : await convertKnown(run, { ...record, images: await loadImages(run.id, record) }, context);
    if (!isWritten) passedOver.push(record.row);
  }
  const cards = await mapWithCards(run.id, withCards, { ...context, now });
  return { writing: writeBatch(previous, batch, { ...context, now, passedOver, cards }) };
}

/** Writes the new patients of a batch and the states of its other records. */
async function writeBatch(
  previous: Promise<RunRow>,
  { withCards, withoutCards, unchanged, stale }: PreparedBatch,
  context: ConversionContext & {
    run: RunRow;
    last: number;
    now: string;
    passedOver: readonly StagedRow[];
    cards: readonly PreparedRecord[];
  },
): Promise<RunRow> {
  const { run, passedOver, cards } = context;
  const numbers = [...withoutCards.created, ...withCards.map(({ row }) => row)].map(({ number }) => number);
  const finish = async (tx: Tx, created: readonly Converted[]) => {
    const ids = created.map(({ patient_id }) => patient_id);
    await auditChange(tx, context.origin, ids);
    markConverted(tx, run.id, [...created, ...unchanged]);
    const written = new Set(created.map(({ number }) => number));
    const rejected = numbers.filter((number) => !written.has(number));
    const rows = rejected.length > 0 ? await listStagedByNumber(tx, run.id, rejected) : [];
    await markStale(tx, run.id, [...stale, ...(await checkAgain(tx, run, [...passedOver, ...rows], context))]);
    if (withCards.length > 0) await context.stillHeld();
    return { done: context.last };
  };
  try {
    const stored = await prepareNew(cards, context);
    return await workBatch(previous, async (tx) =>
      finish(tx, [...(await writeNew(tx, withoutCards, context)), ...(await writeNew(tx, stored, context))]),
    );
  } catch (error) {
    if (!isRejectedData(error)) throw error;
  }
  const rows = await listStagedByNumber(
    db,
    run.id,
    withoutCards.created.map(({ number }) => number),
  );
  const again = (await checkRecords(run, rows, context.companies)).filter(isAsChecked).flatMap(toReady);
  const records = [...mapNew(again, context), ...cards];
  let written: readonly Converted[] = [];
  const converted = await workBatch(previous, async (tx) => {
    written = await writeNewOneByOne(tx, records, context);
    return finish(tx, written);
  });
  const done = new Set(written.map(({ number }) => number));
  for (const { number, patient } of cards) if (!done.has(number)) await discardCards(patient.cards);
  return converted;
}

/** Checks records that couldn't be written, because the practice may have changed since the batch was prepared. */
async function checkAgain(
  tx: Tx,
  run: RunRow,
  rows: readonly StagedRow[],
  { companies }: ConversionContext,
): Promise<CheckedStaged[]> {
  return rows.length === 0 ? [] : checkRecords(run, rows, companies, tx);
}

/** Returns whether the check still has the result that staff reviewed. */
function isAsChecked({ row, checked }: CheckedStaged): boolean {
  return row.verdict === checked.verdict && isSamePlan(row.plan, checked.plan);
}

function toReady({ row, checked: { patient } }: CheckedStaged): ReadyRecord[] {
  return patient ? [{ row, patient }] : [];
}

/** Returns an unchanged record as converted, because verification covers it too. */
function toUnchanged({ number, verdict, plan }: StagedRow): Converted[] {
  if (verdict !== "unchanged" || !plan?.patient) return [];
  return [{ number, patient_id: plan.patient, outcome: null }];
}

/** Stores the new check results of records whose plan changed or that couldn't be written, for staff to review. */
async function markStale(tx: Tx, runId: number, results: readonly CheckedStaged[]): Promise<void> {
  if (results.length === 0) return;
  // A worker that lost the run may have converted a record since.
  const open = await tx.rows<{ number: number }>(sql`
    SELECT number FROM migration_record WHERE run_id = ${runId} AND number = ANY(${results.map(({ row }) => row.number)}::int[])
      AND state IN ('checked', 'stale') FOR UPDATE`);
  const numbers = open.map(({ number }) => number);
  await storeChecks(
    tx,
    runId,
    results.filter(({ row }) => numbers.includes(row.number)),
  );
  setRecordState(tx, runId, numbers, "stale");
}
