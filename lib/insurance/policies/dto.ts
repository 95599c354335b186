import { changedFields, type FieldChanges } from "@/lib/access/identity/origin";
import type { PlacedImage } from "@/lib/insurance/fields/card-image";
import { pickInsurance } from "@/lib/insurance/fields/fields";
import { maskSsn, withMaskedSsn } from "@/lib/insurance/fields/masked-ssn";
import type { WriteOutcome } from "@/lib/insurance/patient-write/patient-write";
import { signedImageUrl } from "@/lib/platform/storage/signed-url";
import type { VersionRow } from "./queries";
import type { PolicyRow } from "./schema";
import type { PoliciesView, PolicyView } from "./staff-queries";

/** A policy as the API answers it. */
export function toPolicyDto(row: PolicyRow) {
  return {
    id: row.id,
    patient: row.patient_id,
    practice: row.practice_id,
    status: row.status,
    version: row.version,
    rank: row.rank,
    patient_first_name: row.patient_first_name,
    patient_last_name: row.patient_last_name,
    patient_dob: row.patient_dob,
    ...pickInsurance(row),
    patient_insurance: row.patient_insurance,
    card_images: row.card_images.map(({ image_rank, content_type, bytes, created_date }) => ({
      image_rank,
      content_type,
      bytes,
      created_date,
    })),
    created_date: row.created_date,
    modified_date: row.modified_date,
    archived_date: row.archived_date,
    archive_reason: row.archive_reason,
  };
}

/** A policy as the staff's pages show it: the SSN is masked until somebody asks for it. */
export const toStaffPolicyDto = (row: PolicyRow) => withMaskedSsn(toPolicyDto(row));

/** What the staff's pages about one policy show. */
export function toPolicyViewDto({ policy, ...view }: PolicyView) {
  return { ...toPoliciesViewDto(view), policy: toStaffPolicyDto(policy) };
}

/** The same of all policies of a patient. */
export function toPoliciesViewDto({ policies, ...view }: PoliciesView) {
  return { ...view, policies: policies.map(toStaffPolicyDto) };
}

/** What a write of the staff did, or would do; `policy` as it then stands, null where it is gone. */
export function toPolicyWriteDto({ result, effects, pending }: WriteOutcome<PolicyRow | null>) {
  return { policy: result && toStaffPolicyDto(result), effects, pending };
}

/** A card image with its signed URL. The key in the object store stays private but for that URL. */
export function toCardImageDto(image: PlacedImage, baseUrl: URL) {
  const { image_rank, content_type, bytes, width, height, sha256, created_date } = image;
  const { url, ttl } = signedImageUrl(image.image_key, baseUrl);
  return { image_rank, content_type, bytes, width, height, sha256, url, ttl, created_date };
}

/** What changed with a version, who did it, when, from where and why. */
export function toVersionDto(row: VersionRow) {
  return {
    version: row.version,
    kind: row.kind,
    changes: versionChanges(row.previous, row.snapshot),
    actor: row.actor,
    source: row.source,
    reason: row.reason,
    request_id: row.request_id,
    occurred_date: row.occurred_date,
    recorded_date: row.recorded_date,
  };
}

/** The same for the staff's pages, whose SSNs are masked. */
export function toStaffVersionDto(row: VersionRow) {
  const { changes, ...version } = toVersionDto(row);
  const { insured_person_ssn: ssn } = changes;
  const mask = (value: unknown) => (typeof value === "string" ? maskSsn(value) : value);
  const masked = ssn && { insured_person_ssn: { old: mask(ssn.old), new: mask(ssn.new) } };
  return { ...version, changes: { ...changes, ...masked } };
}

/** One version whole: with the policy as it stood, its card images readable. */
export function toVersionDetailDto(row: VersionRow, baseUrl: URL) {
  const policy = toPolicyDto(row.snapshot);
  const card_images = row.snapshot.card_images.map((image) => toCardImageDto(image, baseUrl));
  return { ...toVersionDto(row), policy: { ...policy, card_images } };
}

/** Fields that change with every version and say nothing. */
const BOOKKEEPING = new Set(["version", "modified_date"]);

function versionChanges(before: PolicyRow | null, after: PolicyRow): FieldChanges {
  const changes = changedFields(before ? toPolicyDto(before) : null, toPolicyDto(after));
  return Object.fromEntries(
    Object.entries(changes).filter(([field, change]) => !BOOKKEEPING.has(field) && !isNothing(change)),
  );
}

function isNothing(change: { old: unknown; new: unknown }): boolean {
  return change.old === null && Array.isArray(change.new) && change.new.length === 0;
}
