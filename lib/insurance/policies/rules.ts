import type { PlacedImage } from "@/lib/insurance/fields/card-image";
import { type InsuranceFields, pickInsurance, sameName } from "@/lib/insurance/fields/fields";
import type { Rank } from "@/lib/insurance/fields/limits";
import type { InsuranceState, PatientIdentity } from "@/lib/insurance/patient-write/replication-payload";
import { BusinessRuleError, ConflictError, DomainError } from "@/lib/platform/errors";
import type { PolicyRow, RankHolder } from "./schema";

interface SentIdentity {
  patient_first_name?: string | undefined;
  patient_last_name?: string | undefined;
  patient_dob?: string | undefined;
}

/**
 * Requires that a policy write names the patient it is sent to: a policy on the wrong patient is a safety hazard.
 * Names match regardless of case, accents and surrounding space. Fields that are not sent are not compared.
 *
 * @throws BusinessRuleError patient_mismatch (422), naming the fields but never the patient's own data
 */
export function requireSamePatient(sent: SentIdentity, patient: PatientIdentity): void {
  const wrong: string[] = [];
  const { patient_first_name: first, patient_last_name: last, patient_dob: dob } = sent;
  if (first !== undefined && !sameName(first, patient.first_name)) wrong.push("patient_first_name");
  if (last !== undefined && !sameName(last, patient.last_name)) wrong.push("patient_last_name");
  if (dob !== undefined && dob !== patient.dob) wrong.push("patient_dob");
  if (wrong.length > 0) {
    throw new BusinessRuleError(
      "patient_mismatch",
      `Values don't match the patient's record: ${wrong.join(", ")}. Check that this is the right patient.`,
    );
  }
}

/**
 * Requires that the policy at a rank is still the one the author saw, in the same version. A write that takes the rank
 * archives that policy, so its author must have seen it.
 *
 * @throws DomainError rank_holder_changed (412)
 */
export function requireSeenHolder(holder: PolicyRow | null, seen: RankHolder): void {
  if (seen === undefined) return;
  if (holder?.id === seen?.id && holder?.version === seen?.version) return;
  const what =
    holder === null
      ? "The policy at this rank has been archived or moved"
      : holder.id === seen?.id
        ? "The policy at this rank has changed"
        : "Another policy has taken this rank";
  const message = `${what} since you opened the page. Nothing was saved. Reload to see the current policies.`;
  throw new DomainError("version_conflict", message, { reason: "rank_holder_changed" });
}

/** Returns the lowest free image rank, or null if all nine are taken. */
export function nextImageRank(taken: readonly number[]): number | null {
  return [1, 2, 3, 4, 5, 6, 7, 8, 9].find((rank) => !taken.includes(rank)) ?? null;
}

/** The patient a policy belongs to. */
export interface PolicyHolder extends PatientIdentity {
  id: number;
  practice_id: number;
}

/** Builds a new policy: active, at its first version, without card images. Times are ISO 8601. */
export function newPolicy(
  patient: PolicyHolder,
  input: {
    id: number;
    patientInsurance: number;
    rank: Rank | null;
    fields: InsuranceFields;
    createdDate: string;
    modifiedDate: string;
  },
): PolicyRow {
  return {
    id: input.id,
    patient_id: patient.id,
    practice_id: patient.practice_id,
    status: "active",
    version: 1,
    rank: input.rank,
    patient_first_name: patient.first_name,
    patient_last_name: patient.last_name,
    patient_dob: patient.dob,
    ...input.fields,
    patient_insurance: input.patientInsurance,
    created_date: input.createdDate,
    modified_date: input.modifiedDate,
    archived_date: null,
    archive_reason: null,
    card_images: [],
  };
}

/**
 * Maps a legacy insurance to a new policy. Replication and imports share this mapping (specification, Events 2).
 */
export function toPolicy(patient: PolicyHolder, insurance: InsuranceState, modifiedDate: string): PolicyRow {
  return newPolicy(patient, {
    id: insurance.policy_id,
    patientInsurance: insurance.id,
    rank: insurance.rank,
    fields: pickInsurance(insurance),
    createdDate: insurance.created_date,
    modifiedDate,
  });
}

/** Returns the fields that archiving sets. */
export function archivedState(archivedDate: string, reason: string) {
  return { status: "archived" as const, archived_date: archivedDate, archive_reason: reason };
}

/** A version of an imported policy: the whole policy, what happened, and when it took effect (ISO 8601). */
export interface ImportedVersion {
  policy: PolicyRow;
  kind: "created" | "archived";
  occurredDate: string;
}

/**
 * Builds the versions of an imported policy: created and, if the legacy insurance has ended, archived. Imports write these
 * versions, and verification compares with them.
 *
 * @param cards the patient's card images; a current insurance shows those of its rank
 */
export function importedVersions(
  patient: PolicyHolder,
  insurance: InsuranceState,
  cards: readonly (PlacedImage & { rank: number })[],
): ImportedVersion[] {
  const { created_date: from, deleted_date: until, rank } = insurance;
  const images = cards.filter((card) => until === null && card.rank === rank).map(placedImage);
  const created: PolicyRow = { ...toPolicy(patient, insurance, from), card_images: images };
  const first: ImportedVersion = { policy: created, kind: "created", occurredDate: from };
  if (until === null) return [first];
  const archived: PolicyRow = {
    ...created,
    ...archivedState(until, "imported_history"),
    version: 2,
    modified_date: until,
  };
  return [first, { policy: archived, kind: "archived", occurredDate: until }];
}

function placedImage({ rank: _rank, ...image }: PlacedImage & { rank: number }): PlacedImage {
  return image;
}

/** @throws ConflictError policy_archived, because an archived policy must be restored before it can change */
export function requireActive(policy: PolicyRow): void {
  if (policy.status === "archived") {
    throw new ConflictError("policy_archived", "Archived policies are read-only. Restore this policy to edit it.");
  }
}

/** Returns the policy's copy of the patient's identity. */
export function patientIdentity({ first_name, last_name, dob }: PatientIdentity) {
  return { patient_first_name: first_name, patient_last_name: last_name, patient_dob: dob };
}
