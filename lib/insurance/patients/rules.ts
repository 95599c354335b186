import { isDeepStrictEqual } from "node:util";
import type { InsuranceFields } from "@/lib/insurance/fields/fields";
import type { Rank } from "@/lib/insurance/fields/limits";
import type { LegacyCardRow } from "@/lib/insurance/patients/schema";
import type { Row } from "@/lib/platform/db/rows";
import {
  DEFAULT_STATUS,
  DETAIL_FIELDS,
  type PatientDetails,
  type PatientPatch,
  type PatientRow,
  type StoredPhone,
} from "./schema";

/** A legacy insurance from another system, mapped to this system's fields. Times are ISO 8601. */
export interface InsuranceToImport {
  externalId: number;
  rank: Rank;
  fields: InsuranceFields;
  createdDate: string;
  /** null if it is current */
  deletedDate: string | null;
}

/** A patient from another system, with its insurances and its card images, which are already in the object store. */
export interface PatientToImport {
  externalId: number;
  /** Hash of the imported record. */
  fingerprint: string;
  demographics: Omit<PatientPatch, "insurances" | "caregiver_practice"> &
    Required<Pick<PatientPatch, "first_name" | "last_name" | "dob" | "sex" | "primary_physician">>;
  createdDate: string;
  insurances: InsuranceToImport[];
  cards: LegacyCardRow[];
}

/** The row that an import writes for a patient, without the ID that the database assigns. */
export type ImportedPatientRow = Omit<PatientRow, "id"> & { source_fingerprint: string };

/** Maps a patient from another system to its row. Imports write this row, and verification compares with it. */
export function toPatientRow(
  { externalId, fingerprint, demographics: sent, createdDate }: Omit<PatientToImport, "insurances" | "cards">,
  { practiceId, now }: { practiceId: number; now: string },
): ImportedPatientRow {
  return {
    practice_id: practiceId,
    primary_physician_id: sent.primary_physician,
    external_id: externalId,
    source_fingerprint: fingerprint,
    master_patient: null,
    first_name: sent.first_name,
    middle_name: sent.middle_name ?? "",
    last_name: sent.last_name,
    dob: sent.dob,
    sex: sent.sex,
    details: sentDetails(sent),
    phones: toStoredPhones(sent.phones ?? [], [], now),
    version: 1,
    created_date: createdDate,
    last_modified: now,
    deleted_date: null,
  };
}

/** Picks the details that were sent. */
function sentDetails(input: PatientPatch): PatientDetails {
  const sent = DETAIL_FIELDS.filter((field) => input[field] !== undefined);
  return Object.fromEntries(sent.map((field) => [field, input[field]]));
}

/** Returns the details that were sent in their stored form, with the times at which the status and each email address were set. */
export function toStoredDetails(input: PatientPatch, before: PatientDetails, now: string): PatientDetails {
  const { emails, patient_status: status } = input;
  const { emails: known = [] } = before;
  const storedEmails = emails?.map(
    ({ email }) => known?.find((other) => other.email === email) ?? { email: email ?? null, created_date: now },
  );
  return {
    ...sentDetails(input),
    ...(storedEmails && { emails: storedEmails }),
    ...(status && { patient_status: toStoredStatus(status, before.patient_status, now) }),
  };
}

type Status = NonNullable<PatientDetails["patient_status"]>;

/** Keeps the status if none is sent. Returns what is stored already if a response is sent back unchanged. */
function toStoredStatus(sent: Status, before: PatientDetails["patient_status"], now: string) {
  const known: Status = { ...DEFAULT_STATUS, ...before };
  const { status = known.status } = sent;
  const last_status_change = status === known.status ? known.last_status_change : now;
  const stored = { ...DEFAULT_STATUS, ...sent, status, ...(last_status_change && { last_status_change }) };
  return isDeepStrictEqual(stored, known) ? before : stored;
}

/** Maps phones to their stored form. A phone that was already stored keeps its created date. */
export function toStoredPhones(
  phones: readonly Omit<StoredPhone, "digits" | "created_date">[],
  before: readonly StoredPhone[],
  now: string,
): StoredPhone[] {
  return phones.map(({ phone, phone_type }) => {
    const known = before.find((other) => other.phone === phone && other.phone_type === phone_type);
    return { phone, phone_type, digits: phone.replace(/\D/g, ""), created_date: known?.created_date ?? now };
  });
}

/**
 * A version of a patient in its history. `changes` has the changed fields, and notes on insurances and cards, whose fields are
 * in the policies' histories.
 */
export type PatientHistoryEntry = Row<"patient_version", "version" | "kind" | "changes" | "occurred_date">;

const NOTES = new Set(["insurances", "card_ranks"]);
/** The first version has the name of the field in the API, later versions have that of the column. */
const COLUMN_OF: Record<string, string> = {
  caregiver_practice: "practice_id",
  primary_physician: "primary_physician_id",
};

/** Replays a patient's history. Returns the last recorded value of each demographic field, by column or detail. */
export function recordedFields(history: readonly PatientHistoryEntry[]): Map<string, unknown> {
  const changes = history.flatMap((entry) => Object.entries(entry.changes).filter(([field]) => !NOTES.has(field)));
  return new Map(changes.map(([field, change]) => [COLUMN_OF[field] ?? field, change.new ?? null]));
}
