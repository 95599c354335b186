import { pickInsurance } from "@/lib/insurance/fields/fields";
import { toRankWord } from "@/lib/insurance/fields/limits";
import { etagOf } from "@/lib/platform/http/conditional";
import type { Reply } from "@/lib/platform/http/response";
import { signedImageUrl } from "@/lib/platform/storage/signed-url";
import { deprecationHeaders } from "@/lib/practice/practices/rules";
import type { PatientView } from "./queries";
import {
  DEFAULT_STATUS,
  DETAIL_DEFAULTS,
  DETAIL_FIELDS,
  type InsuranceRow,
  type LegacyCardRow,
  type PatientRow,
} from "./schema";

/** Maps a legacy insurance to the contract's form, with the rank as a word. */
export function toInsuranceDto(row: InsuranceRow) {
  const { id, rank, created_date, deleted_date } = row;
  return { id, rank: toRankWord(rank), ...pickInsurance(row), created_date, deleted_date };
}

/**
 * Maps a patient to the contract's form.
 *
 * @param insurances null if the practice's deadline is enforced: then both arrays are omitted
 */
export function toPatientDto(row: PatientRow, insurances: readonly InsuranceRow[] | null) {
  const details = Object.fromEntries(
    DETAIL_FIELDS.map((field) => [field, row.details[field] ?? DETAIL_DEFAULTS[field] ?? null]),
  );
  return {
    id: row.id,
    caregiver_practice: row.practice_id,
    primary_physician: row.primary_physician_id,
    first_name: row.first_name,
    middle_name: row.middle_name,
    last_name: row.last_name,
    dob: row.dob,
    sex: row.sex,
    phones: row.phones.map(({ phone, phone_type, created_date }) => ({
      phone,
      phone_type,
      created_date,
      deleted_date: null,
    })),
    ...details,
    ...toShownParts(row),
    consents: [],
    occupation: null,
    merged_into_chart: null,
    master_patient: row.master_patient ?? row.id,
    primary_care_provider: row.primary_physician_id,
    created_date: row.created_date,
    last_modified: row.last_modified,
    deleted_date: row.deleted_date,
    ...(insurances && {
      insurances: insurances.filter(({ deleted_date }) => deleted_date === null).map(toInsuranceDto),
      deleted_insurances: insurances.filter(({ deleted_date }) => deleted_date !== null).map(toInsuranceDto),
    }),
  };
}

/**
 * Adds to details what only responses have. A patient has one guarantor and one emergency contact at most, which have the
 * patient's ID. Employers are known by their codes alone.
 */
function toShownParts({ id, created_date, details }: PatientRow) {
  const { emails, emergency_contact, employer, guarantor, patient_status } = details;
  return {
    emails: (emails ?? []).map((email) => ({ created_date, ...email, deleted_date: null })),
    emergency_contact: emergency_contact ? { ...emergency_contact, id } : null,
    employer: employer ? { ...employer, name: employer.code, description: null } : null,
    guarantor: guarantor ? { ...guarantor, id } : null,
    patient_status: { ...DEFAULT_STATUS, last_status_change: created_date, ...patient_status },
  };
}

/** Groups the cards of a patient by priority, each side with its signed URL. */
export function toCardDtos(rows: readonly LegacyCardRow[], baseUrl: URL) {
  const ranks = [...new Set(rows.map(({ rank }) => rank))];
  return ranks.map((rank) => ({
    rank,
    images: rows
      .filter((row) => row.rank === rank)
      .map((row) => ({ side: row.image_rank, ...signedImageUrl(row.image_key, baseUrl) })),
  }));
}

/** Builds the response with one patient. If it includes legacy insurances, it has deprecation headers. */
export function replyWithPatient(view: PatientView, baseUrl: URL): Reply {
  const { patient, insurances, rules } = view;
  return {
    body: toPatientDto(patient, insurances),
    headers: { etag: etagOf(patient.version), ...(insurances ? deprecationHeaders(rules, patient.id, baseUrl) : {}) },
  };
}
