import { changedFields, type FieldChanges } from "@/lib/access/identity/access";
import type { PlacedImage } from "@/lib/insurance/fields/card-image";
import { pickInsurance } from "@/lib/insurance/fields/fields";
import { maskSsn, withMaskedSsn } from "@/lib/insurance/fields/masked-ssn";
import type { WriteOutcome } from "@/lib/insurance/patient-write/patient-write";
import { signedImageUrl } from "@/lib/platform/storage/signed-url";
import type { VersionRow } from "./queries";
import type { PolicyRow } from "./schema";
import type { PoliciesView, PolicyView } from "./staff-queries";

/** Maps a policy to its form in API responses. */
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

/** Maps a policy for staff pages, with the SSN masked. Revealing it takes a separate request. */
export const toStaffPolicyDto = (row: PolicyRow) => withMaskedSsn(toPolicyDto(row));

/** Maps one policy and the patient's active ones for staff pages. */
export function toPolicyViewDto({ policy, ...view }: PolicyView) {
  return { ...toPoliciesViewDto(view), policy: toStaffPolicyDto(policy) };
}

/** Maps the policies of a patient for staff pages. */
export function toPoliciesViewDto({ policies, ...view }: PoliciesView) {
  return { ...view, policies: policies.map(toStaffPolicyDto) };
}

/** Maps the outcome of a write, or of a dry run, for staff pages. `policy` is its new state, or null if it was purged. */
export function toPolicyWriteDto({ result, effects, pending }: WriteOutcome<PolicyRow | null>) {
  return { policy: result && toStaffPolicyDto(result), effects, pending };
}

/** Maps a card image, with its signed URL. Only this URL reveals its key in the object store. */
export function toCardImageDto(image: PlacedImage, baseUrl: URL) {
  const { image_rank, content_type, bytes, width, height, sha256, created_date } = image;
  const { url, ttl } = signedImageUrl(image.image_key, baseUrl);
  return { image_rank, content_type, bytes, width, height, sha256, url, ttl, created_date };
}

/** Maps a version: what changed, who changed it, when, how and why. */
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

/** Maps a version for staff pages, with SSNs masked. */
export function toStaffVersionDto(row: VersionRow) {
  const { changes, ...version } = toVersionDto(row);
  const { insured_person_ssn: ssn } = changes;
  const mask = (value: unknown) => (typeof value === "string" ? maskSsn(value) : value);
  const masked = ssn && { insured_person_ssn: { old: mask(ssn.old), new: mask(ssn.new) } };
  return { ...version, changes: { ...changes, ...masked } };
}

/** Maps a version with the whole policy after it, and signed URLs for its card images. */
export function toVersionDetailDto(row: VersionRow, baseUrl: URL) {
  const policy = toPolicyDto(row.snapshot);
  const card_images = row.snapshot.card_images.map((image) => toCardImageDto(image, baseUrl));
  return { ...toVersionDto(row), policy: { ...policy, card_images } };
}

/** Fields that change with every version. Diffs omit them. */
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
