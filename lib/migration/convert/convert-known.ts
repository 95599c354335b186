import { isDeepStrictEqual } from "node:util";
import { mintAccess, type Origin } from "@/lib/access/identity/access";
import type { PlacedImage } from "@/lib/insurance/fields/card-image";
import { RANKS } from "@/lib/insurance/fields/limits";
import type { PatientWrite } from "@/lib/insurance/patient-write/patient-write";
import { allocateInsuranceIds, allocatePolicyIds } from "@/lib/insurance/patients/allocate-ids";
import type { InsuranceRow } from "@/lib/insurance/patients/schema";
import { InsuranceLedger } from "@/lib/insurance/patients/store";
import { listPoliciesWithVersions } from "@/lib/insurance/policies/migration-queries";
import { archivedState } from "@/lib/insurance/policies/rules";
import { PolicyLedger } from "@/lib/insurance/policies/store";
import { reconcilePolicies } from "@/lib/insurance/replication/reconcile";
import { withLockedPatient } from "@/lib/insurance/replication/with-locked-patient";
import { type CompanyKnowledge, checkRecords } from "@/lib/migration/check/check-run";
import type { InsurancePlan, PatientPlan } from "@/lib/migration/plan/plan-patient";
import { changedInsurance, type Destination, endedInsurance, targetInsurance } from "@/lib/migration/record/mapping";
import type { StagedPatient } from "@/lib/migration/record/schema";
import { RunInterrupted } from "@/lib/migration/runs/migration-run";
import { lockForWork } from "@/lib/migration/runs/queries";
import type { CardPlace, Outcome, RunRow, StagedRow } from "@/lib/migration/runs/schema";
import type { StillHeld } from "@/lib/platform/db/advisory-lock";
import { jsonbText } from "@/lib/platform/db/row-text";
import type { Tx } from "@/lib/platform/db/transaction";
import { ConflictError, NotFoundError } from "@/lib/platform/errors";
import { discardImage, processImage, storeImage } from "@/lib/platform/storage/process-image";
import { importedImageKey, markConverted } from "./convert-new";

interface KnownRecord {
  row: StagedRow;
  patient: StagedPatient;
  /** Keyed by `rank side`. */
  images: ReadonlyMap<string, Uint8Array>;
}

/** Returns access to one practice, for the jobs of Crosswalk itself. */
export function mintPracticeAccess(practiceId: number, origin: Origin) {
  return mintAccess({ practices: [practiceId], actor: origin.actor });
}

/** Returns whether a plan equals the stored one. */
export const isSamePlan = (stored: PatientPlan | null, plan: PatientPlan | null) =>
  jsonbText(stored) === jsonbText(plan);

/**
 * Plans a record again, with its patient locked, and returns whether the plan is still the same.
 *
 * @throws RunInterrupted if the run was cancelled in the meantime
 */
export async function isStillPlanned(
  tx: Tx,
  run: RunRow,
  row: StagedRow,
  companies: CompanyKnowledge,
): Promise<boolean> {
  const locked = await lockForWork(tx, run.id);
  if (locked?.state !== run.state) throw new RunInterrupted();
  const [again] = await checkRecords(run, [row], companies, tx);
  return isSamePlan(row.plan, again?.checked.plan ?? null);
}

/**
 * Returns the plan of a record whose patient the practice has.
 *
 * @throws Error if the record has no such plan
 */
export function requireKnownPlan({ number, plan }: StagedRow): { plan: PatientPlan; patientId: number } {
  if (!plan?.patient) throw new Error(`record ${number} has no plan for a patient of the practice`);
  return { plan, patientId: plan.patient };
}

/** Returns whether a patient must be passed over, because it was deleted or its replication is blocked. The run continues. */
export function isPassedOver(error: unknown): boolean {
  return error instanceof NotFoundError || (error instanceof ConflictError && error.reason === "stream_blocked");
}

/**
 * Converts a record whose patient the practice has: writes the legacy records as planned and reconciles the policies
 * with them. Plans the record again with the patient locked, and writes nothing if the plan has changed.
 *
 * @param context.stillHeld asked before the commit of images, which may have been deleted otherwise
 * @returns whether it was written
 * @throws RunInterrupted if the run was cancelled in the meantime
 */
export async function convertKnown(
  run: RunRow,
  record: KnownRecord,
  context: { origin: Origin; destination: Destination; companies: CompanyKnowledge; stillHeld: StillHeld },
): Promise<boolean> {
  const { origin, companies, stillHeld } = context;
  const { row, patient } = record;
  const { plan, patientId } = requireKnownPlan(row);
  const access = mintPracticeAccess(run.practice_id, origin);
  const stored = await storeNewImages(run.id, record, plan);
  try {
    const { result } = await withLockedPatient({ access, patientId, origin }, "both", async (write) => {
      if (!(await isStillPlanned(write.tx, run, row, companies))) return null;
      const outcome = await carryOut(write, { patient, plan, stored }, context);
      markConverted(write.tx, run.id, [{ number: row.number, patient_id: write.patient.id, outcome }]);
      if (stored.length > 0) await stillHeld();
      return outcome;
    });
    // Another worker may have taken over the run and used the same keys, so these images stay. Housekeeping deletes unused ones.
    if (result === null) return false;
    // The practice may already have had some images of a card.
    const isUsed = (image: PlacedImage & { rank: number }) =>
      result.cards.some(({ rank, side }) => rank === image.rank && side === image.image_rank);
    for (const image of stored) if (!isUsed(image)) await discardImage(image.image_key);
    return true;
  } catch (error) {
    if (isPassedOver(error)) return false;
    throw error;
  }
}

/**
 * Decodes and stores the images that the plan adds. Images left by a killed conversion are overwritten by the next
 * one.
 */
async function storeNewImages(
  runId: number,
  { row, patient, images }: KnownRecord,
  plan: PatientPlan,
): Promise<(PlacedImage & { rank: number })[]> {
  const ranks = new Set<number>(
    plan.insurances.flatMap(({ changes, rank }) => (changes.includes("card_images") ? [rank] : [])),
  );
  const stored: (PlacedImage & { rank: number })[] = [];
  for (const { rank, images: places } of patient.insurance_cards) {
    if (!ranks.has(rank)) continue;
    for (const { side } of places) {
      const bytes = images.get(`${rank} ${side}`);
      if (!bytes) continue;
      const key = importedImageKey(`run ${runId} ${row.number} ${rank} ${side}`);
      const image = await storeImage(await processImage(bytes), new Date().toISOString(), key);
      stored.push({ rank, image_rank: side, ...image });
    }
  }
  return stored;
}

interface PlannedWork {
  patient: StagedPatient;
  plan: PatientPlan;
  stored: readonly (PlacedImage & { rank: number })[];
}

async function carryOut(
  write: PatientWrite,
  { patient, plan, stored }: PlannedWork,
  { destination }: { destination: Destination },
): Promise<Outcome> {
  const touched = plan.insurances.flatMap(({ row }) => (row === null ? [] : [row]));
  const ledger = await InsuranceLedger.open(write, touched);
  const changing = plan.insurances.filter(
    ({ verdict, changes }) =>
      verdict !== "unchanged" && (verdict !== "update" || changes.some((field) => field !== "card_images")),
  );
  const before = changing.flatMap(({ row }) => (row === null ? [] : (ledger.find(row) ?? [])));
  const added: number[] = [];
  const companies: Record<number, number | null> = {};
  for (const insurance of changing) {
    const row = insurance.row === null ? null : ledger.find(insurance.row);
    const after = await rowAfter(write, insurance, { patient, row, destination });
    if (row === null) added.push(after.id);
    companies[insurance.id] = after.insurance_company;
    ledger.put(after);
  }
  const shown = listCards(ledger);
  ledger.moveCardsWithInsurances();
  const cards = addCards(ledger, stored);
  const cardsBefore = isDeepStrictEqual(shown, listCards(ledger)) ? {} : { cards_before: shown };
  await ledger.flush();
  await archiveEnded(write, ledger, changing);
  await reconcilePolicies(write, { emptied: false });
  const policies = await listPoliciesWithVersions(write.tx, [write.patient.id]);
  return {
    created: false,
    version: write.patient.version,
    policies: policies.map(({ id, version: at }) => ({ id, version: at })),
    before: before.map((row) => ({ id: row.id, row })),
    added,
    companies,
    cards,
    ...cardsBefore,
  };
}

const listCards = (ledger: InsuranceLedger) =>
  RANKS.flatMap((rank) => ledger.cards(rank).map((image) => ({ rank, ...image })));

/** Archives the policies of insurances that ended in the export, from the day they ended in the legacy records. */
async function archiveEnded(
  write: PatientWrite,
  insurances: InsuranceLedger,
  plans: readonly InsurancePlan[],
): Promise<void> {
  const ledger = await PolicyLedger.open(write);
  for (const { verdict, row: rowId } of plans) {
    const row = verdict === "archive" && rowId !== null ? insurances.find(rowId) : null;
    const policy = row && ledger.find(row.policy_id);
    if (!row?.deleted_date || policy?.status !== "active") continue;
    ledger.change(policy.id, archivedState(row.deleted_date, "absent_from_legacy_update"), "archived");
  }
  await ledger.flush();
}

/** Returns the legacy record that the conversion writes for an insurance. */
async function rowAfter(
  write: PatientWrite,
  { list, position, row: rowId }: InsurancePlan,
  { patient, row, destination }: { patient: StagedPatient; row: InsuranceRow | null; destination: Destination },
): Promise<InsuranceRow> {
  if (rowId !== null && row === null) throw new Error(`insurance ${rowId} is missing`);
  const entry = list === "here" ? undefined : patient[list][position];
  if (entry === undefined) {
    if (row === null) throw new Error(`the record has no insurance ${position} in ${list}`);
    return { ...row, deleted_date: write.now };
  }
  const { companies } = destination;
  if (row !== null) {
    return list === "insurances" ? changedInsurance(row, entry, companies) : endedInsurance(row, entry, write.now);
  }
  const isCurrent = list === "insurances";
  const target = targetInsurance(entry, { isCurrent, companies, now: write.now });
  const [id = 0] = await allocateInsuranceIds(write.tx, 1);
  const [policyId = 0] = await allocatePolicyIds(write.tx, 1);
  return {
    id,
    patient_id: write.patient.id,
    practice_id: write.patient.practice_id,
    policy_id: policyId,
    external_id: target.externalId,
    rank: target.rank,
    ...target.fields,
    created_date: target.createdDate,
    deleted_date: target.deletedDate,
  };
}

function addCards(ledger: InsuranceLedger, stored: readonly (PlacedImage & { rank: number })[]): CardPlace[] {
  const added: CardPlace[] = [];
  for (const rank of RANKS) {
    const there = ledger.cards(rank);
    const fresh = stored.filter(
      (image) => image.rank === rank && !there.some((one) => one.image_rank === image.image_rank),
    );
    if (fresh.length === 0) continue;
    ledger.setCards(rank, [...there, ...fresh.map(({ rank: _rank, ...image }) => image)]);
    added.push(...fresh.map(({ rank: _rank, image_rank: side, ...image }) => ({ rank, side, ...image })));
  }
  return added;
}

/**
 * Reconciles the policies of a patient with its legacy records. Plans the record again with the patient locked, and
 * writes nothing if the plan has changed.
 *
 * @returns whether it was written
 * @throws RunInterrupted if the run was cancelled in the meantime
 */
export async function convertOwn(
  run: RunRow,
  row: StagedRow,
  { origin, companies }: { origin: Origin; companies: CompanyKnowledge },
): Promise<boolean> {
  const { patientId } = requireKnownPlan(row);
  const access = mintPracticeAccess(run.practice_id, origin);
  try {
    const { result } = await withLockedPatient({ access, patientId, origin }, "both", async (write) => {
      if (!(await isStillPlanned(write.tx, run, row, companies))) return false;
      await reconcilePolicies(write, { emptied: false });
      const policies = await listPoliciesWithVersions(write.tx, [write.patient.id]);
      const outcome = {
        created: false,
        version: write.patient.version,
        before: [],
        added: [],
        cards: [],
        policies: policies.map(({ id, version }) => ({ id, version })),
      };
      markConverted(write.tx, run.id, [{ number: row.number, patient_id: write.patient.id, outcome }]);
      return true;
    });
    return result;
  } catch (error) {
    if (isPassedOver(error)) return false;
    throw error;
  }
}
