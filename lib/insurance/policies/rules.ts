import type { PlacedImage } from "@/lib/insurance/fields/card-image";
import { type InsuranceFields, pickInsurance } from "@/lib/insurance/fields/fields";
import type { Rank } from "@/lib/insurance/fields/ranks";
import { sameName } from "@/lib/insurance/fields/rules";
import type { InsuranceState, PatientIdentity } from "@/lib/insurance/patient-write/replication-payload";
import { BusinessRuleError, ConflictError, DomainError } from "@/lib/platform/errors";
import type { PolicyRow, RankHolder } from "./schema";

interface SentIdentity {
  patient_first_name?: string | undefined;
  patient_last_name?: string | undefined;
  patient_dob?: string | undefined;
}

/**
 * A policy write names the patient it means; one that means another is a safety hazard and is refused (design §5).
 * Names match without regard to case, accents and outer space; a field that is not sent is not compared.
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
    throw new BusinessRuleError("patient_mismatch", `Not this patient: ${wrong.join(", ")} differ from the record.`);
  }
}

/**
 * A write that takes a rank archives its holder: it is refused where its author saw another one there, or this one in an
 * older version, for that policy would go without anybody having looked at it.
 *
 * @throws DomainError rank_holder_changed (412)
 */
export function requireSeenHolder(holder: PolicyRow | null, seen: RankHolder): void {
  if (seen === undefined) return;
  if (holder?.id === seen?.id && holder?.version === seen?.version) return;
  const what =
    holder === null
      ? "The policy at this rank left it"
      : holder.id === seen?.id
        ? "The policy at this rank has changed"
        : "Another policy took this rank";
  const message = `${what} since you opened the page. Nothing was saved; look at the policies as they are now.`;
  throw new DomainError("version_conflict", message, { reason: "rank_holder_changed" });
}

/** The lowest image rank that is free, front first; null where all nine are taken. */
export function nextImageRank(taken: readonly number[]): number | null {
  return [1, 2, 3, 4, 5, 6, 7, 8, 9].find((rank) => !taken.includes(rank)) ?? null;
}

/** Whose policy it is. */
export interface PolicyHolder extends PatientIdentity {
  id: number;
  practice_id: number;
}

/** A new policy: active, at its first version, without card images. Times are ISO 8601. */
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
 * A legacy insurance in the form of a policy, as it began: the one transformer of this direction (specification, Events 2),
 * which the stream and the import share.
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

/** What archiving sets of a policy. */
export function archivedState(archivedDate: string, reason: string) {
  return { status: "archived" as const, archived_date: archivedDate, archive_reason: reason };
}

/** A version of a policy before it is stored: the policy whole, what happened, and from when it holds (ISO 8601). */
export interface ImportedVersion {
  policy: PolicyRow;
  kind: "created" | "archived";
  occurredDate: string;
}

/**
 * The versions of an imported policy: it was created and, if the legacy insurance has ended, archived. Imports write these,
 * and verification compares with them.
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

/** @throws ConflictError policy_archived, if the policy has to be restored before it can change */
export function requireActive(policy: PolicyRow): void {
  if (policy.status === "archived") {
    throw new ConflictError("policy_archived", "This policy is archived. Restore it before you change it.");
  }
}

/** The patient's identity as a policy carries it. */
export function patientIdentity({ first_name, last_name, dob }: PatientIdentity) {
  return { patient_first_name: first_name, patient_last_name: last_name, patient_dob: dob };
}
