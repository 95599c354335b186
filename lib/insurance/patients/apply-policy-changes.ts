import { pickInsurance } from "@/lib/insurance/fields/fields";
import type { PatientWrite } from "@/lib/insurance/patient-write/patient-write";
import { queueImageDeletion } from "@/lib/insurance/patient-write/queue-image-deletion";
import type { PolicyChange, PolicyState } from "@/lib/insurance/patient-write/replication-payload";
import { join, sql } from "@/lib/platform/db/sql";
import { InsuranceLedger } from "./insurance-ledger";
import type { InsuranceRow } from "./schema";

/**
 * Applies changes of policies to the legacy insurances (specification, Events 2): creates, updates and deactivates them, and
 * links the card images of each rank's policy to its priority. Replicates nothing back.
 */
export async function applyPolicyChanges(write: PatientWrite, changes: readonly PolicyChange[]): Promise<void> {
  const insuranceIds = changes.map((change) =>
    change.kind === "remove" ? change.patient_insurance : change.policy.patient_insurance,
  );
  const ledger = await InsuranceLedger.open(write, insuranceIds);
  const ranks = new Set<number>();
  for (const change of changes) {
    if (change.kind === "remove") {
      ledger.remove(change.patient_insurance);
      await deletePurgedCards(write, change.image_keys);
      continue;
    }
    const before = ledger.find(change.policy.patient_insurance);
    const after = toInsurance(write, change.policy, before);
    if (before?.deleted_date === null) ranks.add(before.rank);
    if (!after) continue;
    if (after.deleted_date === null) ranks.add(after.rank);
    ledger.put(after);
  }
  // Normally no other insurance holds these ranks. After a discarded event one may: the arriving insurance wins.
  for (const other of ledger.current.filter(({ id }) => !insuranceIds.includes(id))) {
    const taken = ledger.current.some(({ id, rank }) => rank === other.rank && id !== other.id);
    if (taken) ledger.end(other.id);
  }
  for (const rank of ranks) {
    const holder = ledger.current.find((row) => row.rank === rank);
    const change = changes.find((c) => c.kind !== "remove" && c.policy.patient_insurance === holder?.id);
    if (change?.kind !== "remove" && change) ledger.setCards(rank, change.policy.card_images);
    else if (!holder) ledger.setCards(rank, []);
  }
  await ledger.flush();
}

/**
 * Maps a policy to a legacy insurance. It is current if the policy is active and ranked, because a legacy insurance needs a
 * priority. Returns null if the policy has no rank and no legacy insurance yet.
 */
export function toInsurance(
  write: PatientWrite,
  policy: PolicyState,
  before: InsuranceRow | null,
): InsuranceRow | null {
  const rank = policy.rank ?? before?.rank;
  if (rank === undefined) return null;
  const current = policy.status === "active" && policy.rank !== null;
  return {
    id: policy.patient_insurance,
    patient_id: write.patient.id,
    practice_id: write.patient.practice_id,
    policy_id: policy.id,
    external_id: before?.external_id ?? null,
    rank,
    ...pickInsurance(policy),
    created_date: before?.created_date ?? policy.created_date,
    deleted_date: current ? null : (before?.deleted_date ?? policy.archived_date ?? write.now),
  };
}

/** Deletes ended cards that show images of a purged policy. */
async function deletePurgedCards(write: PatientWrite, imageKeys: readonly string[]): Promise<void> {
  if (imageKeys.length === 0) return;
  await write.tx.run(sql`
    DELETE FROM legacy_card
    WHERE patient_id = ${write.patient.id} AND ended_date IS NOT NULL AND image_key::text IN (${join([...imageKeys])})`);
  await queueImageDeletion(write.tx, imageKeys, write.now);
}
