import { pickInsurance } from "@/lib/insurance/fields/fields";
import type { PatientWrite } from "@/lib/insurance/patient-write/patient-write";
import type { InsuranceState, PatientChange, PatientIdentity } from "@/lib/insurance/patient-write/replication-payload";
import { PolicyLedger } from "./ledger";
import { patientIdentity, toPolicy } from "./rules";

/** The archive reason of a policy, by what the legacy write did to its legacy insurance. */
const ARCHIVE_REASONS = {
  absent: "absent_from_legacy_update",
  replaced: "replaced_by_legacy_update",
  superseded: "superseded",
} as const;

/**
 * Applies changes of legacy insurances to the policies (specification, Events 2): creates, updates and archives them. Card
 * images move to a new policy only if the legacy write gave no PatientInsurance ID. Replicates nothing back.
 */
export async function applyLegacyChanges(write: PatientWrite, changes: readonly PatientChange[]): Promise<void> {
  const ledger = await PolicyLedger.open(write, changes.flatMap(affectedPolicies));
  for (const change of changes) apply(write, ledger, change);
  supersedeOthers(ledger, changes);
  await ledger.flush();
}

function apply(write: PatientWrite, ledger: PolicyLedger, change: PatientChange): void {
  switch (change.kind) {
    case "create":
      addPolicy(write, ledger, change);
      return;
    case "update":
      updatePolicy(write, ledger, change.insurance);
      return;
    case "delete": {
      const policy = ledger.find(change.insurance.policy_id);
      if (policy?.status === "active") ledger.archive(policy.id, ARCHIVE_REASONS[change.reason]);
      return;
    }
    case "deactivate_all":
      archiveAll(ledger);
      return;
    case "identity":
      renamePatient(ledger, change.identity);
      return;
    case "cards":
      setCards(ledger, change);
      return;
  }
}

/** Updates the policy. After a discarded event it may be missing or archived: then it is created or restored. */
function updatePolicy(write: PatientWrite, ledger: PolicyLedger, insurance: InsuranceState): void {
  const policy = ledger.find(insurance.policy_id);
  if (!policy) {
    ledger.add(toPolicy(write.patient, insurance, write.now));
    return;
  }
  const fields = { ...pickInsurance(insurance), rank: insurance.rank };
  if (policy.status === "active") ledger.change(policy.id, fields);
  else ledger.change(policy.id, { ...fields, status: "active", archived_date: null, archive_reason: null }, "restored");
}

/** Normally no other policy holds these ranks. After a discarded event one may: the arriving policy wins. */
function supersedeOthers(ledger: PolicyLedger, changes: readonly PatientChange[]): void {
  const arriving = changes.flatMap((change) =>
    change.kind === "create" || change.kind === "update" ? [change.insurance] : [],
  );
  const own = new Set(arriving.map(({ policy_id }) => policy_id));
  for (const { rank } of arriving) {
    const others = ledger.active.filter((policy) => policy.rank === rank && !own.has(policy.id));
    for (const { id } of others) ledger.archive(id, ARCHIVE_REASONS.superseded);
  }
}

function setCards(ledger: PolicyLedger, { policy_id, cards }: Extract<PatientChange, { kind: "cards" }>): void {
  const policy = ledger.find(policy_id);
  if (!policy) return;
  const fewer = cards.length < policy.card_images.length;
  ledger.setImages(policy_id, cards, fewer ? "card_image_removed" : "card_image_added");
}

function addPolicy(
  write: PatientWrite,
  ledger: PolicyLedger,
  change: Extract<PatientChange, { kind: "create" }>,
): void {
  const { insurance, images_from: from, cards } = change;
  ledger.add(toPolicy(write.patient, insurance, write.now));
  if (cards.length === 0) return;
  // Images are moved, never copied: an image is on one policy at a time. It stays readable in the versions of the old policy.
  if (from !== null && ledger.find(from)) ledger.setImages(from, [], "card_images_moved");
  ledger.setImages(insurance.policy_id, cards, "created");
}

function renamePatient(ledger: PolicyLedger, identity: PatientIdentity): void {
  for (const policy of ledger.active) ledger.change(policy.id, patientIdentity(identity));
}

function archiveAll(ledger: PolicyLedger): void {
  for (const policy of ledger.active) ledger.archive(policy.id, "legacy_insurances_emptied");
}

function affectedPolicies(change: PatientChange): number[] {
  if (change.kind === "cards") return [change.policy_id];
  if (change.kind === "create") return change.images_from === null ? [] : [change.images_from];
  return change.kind === "update" || change.kind === "delete" ? [change.insurance.policy_id] : [];
}
