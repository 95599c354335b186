import type { PlacedImage } from "@/lib/insurance/fields/card-image";
import { pickInsurance } from "@/lib/insurance/fields/fields";
import type { PatientWrite } from "@/lib/insurance/patient-write/patient-write";
import type { PolicyChange } from "@/lib/insurance/patient-write/replication-payload";
import type { InsuranceRow } from "@/lib/insurance/patients/schema";
import { listCards, listInsurances } from "@/lib/insurance/patients/store";
import { archivedState, patientIdentity, toPolicy } from "@/lib/insurance/policies/rules";
import { PolicyLedger, selectPolicies } from "@/lib/insurance/policies/store";
import { sql } from "@/lib/platform/db/sql";
import { applyPolicyChanges } from "./deliver";

/**
 * Updates the policies of a patient from its legacy insurances, after an event was discarded. Compares the two stores instead
 * of applying changes one by one as `applyLegacyChanges` does. Policies that already match are left unchanged.
 *
 * @param options.emptied whether a discarded event emptied the insurances, which archives unranked policies too
 */
export async function reconcilePolicies(write: PatientWrite, options: { emptied: boolean }): Promise<void> {
  const { tx, patient } = write;
  const policies = await selectPolicies(tx, sql`p.patient_id = ${patient.id}`);
  const all = policies.map(({ id }) => id);
  const ledger = await PolicyLedger.open(write, all);
  const insurances = await listInsurances(tx, [patient.id]);
  const current = insurances.filter(({ deleted_date }) => deleted_date === null);
  archiveOthers(ledger, new Set(current.map(({ policy_id }) => policy_id)), options.emptied);
  for (const insurance of insurances) reconcilePolicy(write, ledger, insurance);
  await reconcileCards(write, ledger, { all, current });
  for (const { id } of ledger.active) ledger.change(id, patientIdentity(patient));
  await ledger.flush();
}

/** Archives active policies without a current legacy insurance. Unranked policies never have one, so they are kept. */
function archiveOthers(ledger: PolicyLedger, current: ReadonlySet<number>, emptied: boolean): void {
  for (const { id, rank } of ledger.active) {
    if (current.has(id) || (rank === null && !emptied)) continue;
    ledger.archive(id, emptied ? "legacy_insurances_emptied" : "absent_from_legacy_update");
  }
}

function reconcilePolicy(write: PatientWrite, ledger: PolicyLedger, insurance: InsuranceRow): void {
  const { policy_id, rank, deleted_date: ended } = insurance;
  const policy = ledger.find(policy_id);
  const past = ended === null ? {} : archivedState(ended, "absent_from_legacy_update");
  if (!policy) {
    ledger.add({ ...toPolicy(write.patient, insurance, write.now), ...past });
    return;
  }
  const fields = pickInsurance(insurance);
  if (ended !== null) ledger.change(policy_id, fields);
  else if (policy.status === "active") ledger.change(policy_id, { ...fields, rank });
  else {
    const active = { status: "active" as const, archived_date: null, archive_reason: null };
    ledger.change(policy_id, { ...fields, rank, ...active }, "restored");
  }
}

/** Links the cards of each priority to its policy and unlinks them from others: an image is on one policy at a time. */
async function reconcileCards(
  { tx, patient }: PatientWrite,
  ledger: PolicyLedger,
  { all, current }: { all: readonly number[]; current: readonly InsuranceRow[] },
): Promise<void> {
  const cards = await listCards(patient.id, tx);
  const shown = new Map<number, PlacedImage[]>(current.map(({ policy_id }) => [policy_id, []]));
  for (const { rank, ...image } of cards) {
    const holder = current.find((insurance) => insurance.rank === rank);
    if (holder) shown.get(holder.policy_id)?.push(image);
  }
  const taken = new Set([...shown.values()].flat().map(({ image_key }) => image_key));
  // The event that moved an image away from an older policy may have been discarded: the newest policy keeps the image.
  for (const id of all.filter((policy) => !shown.has(policy)).sort((a, b) => b - a)) {
    const existing = ledger.find(id)?.card_images ?? [];
    const remaining = existing.filter(({ image_key }) => !taken.has(image_key));
    for (const { image_key } of remaining) taken.add(image_key);
    if (remaining.length < existing.length) ledger.setImages(id, remaining, "card_images_moved");
  }
  for (const [id, images] of shown) {
    const existing = ledger.find(id)?.card_images ?? [];
    if (places(existing) === places(images)) continue;
    ledger.setImages(id, images, images.length < existing.length ? "card_image_removed" : "card_image_added");
  }
}

function places(images: readonly PlacedImage[]): string {
  return images
    .map(({ image_rank, image_key }) => `${image_rank} ${image_key}`)
    .sort()
    .join();
}

/**
 * Updates the legacy insurances of a patient from all its policies, after an event was discarded. Legacy insurances that
 * already match are left unchanged.
 *
 * @param removed changes in discarded events that purged policies; the policies themselves no longer exist
 */
export async function reconcileInsurances(write: PatientWrite, removed: readonly PolicyChange[]): Promise<void> {
  const policies = await selectPolicies(write.tx, sql`p.patient_id = ${write.patient.id}`);
  const saved = policies.map((policy) => ({ kind: "update" as const, policy }));
  await applyPolicyChanges(write, [...removed, ...saved]);
}
