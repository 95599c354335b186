import { TEXT_LIMITS } from "@/lib/insurance/limits";

/** What a column of a CSV export holds: a field of the patient or of one of their current insurances. */
export type ColumnTarget = `patient.${string}` | `insurance.${string}`;

/** Columns by their headings; those left out are not read. */
export type Columns = Readonly<Record<string, ColumnTarget>>;

const PATIENT_FIELDS = [
  "id",
  "first_name",
  "middle_name",
  "last_name",
  "dob",
  "sex",
  "ssn",
  "caregiver_practice",
  "primary_physician",
];
const INSURANCE_FIELDS = [
  ...["id", "rank", "insurance_company", "copay", "deductible", "start_date", "end_date"],
  ...["payment_program", "relationship_to_insured", "created_date", ...Object.keys(TEXT_LIMITS)],
];

/** Every field a column can be read as. */
export const COLUMN_TARGETS: readonly ColumnTarget[] = [
  ...PATIENT_FIELDS.map((field): ColumnTarget => `patient.${field}`),
  ...[...new Set(INSURANCE_FIELDS)].map((field): ColumnTarget => `insurance.${field}`),
];

/** Other headings that mean a field, without regard to case, spaces and signs. */
const SYNONYMS: Partial<Record<ColumnTarget, readonly string[]>> = {
  "patient.id": ["patientid", "patient", "mrn", "chartid", "chartnumber", "id"],
  "patient.first_name": ["firstname", "patientfirstname", "givenname", "first"],
  "patient.middle_name": ["middlename", "patientmiddlename", "middle"],
  "patient.last_name": ["lastname", "patientlastname", "surname", "familyname", "last"],
  "patient.dob": ["dob", "dateofbirth", "birthdate", "birthday", "patientdob"],
  "patient.sex": ["sex", "gender", "patientsex"],
  "patient.ssn": ["ssn", "socialsecuritynumber", "patientssn"],
  "patient.caregiver_practice": ["practice", "practiceid", "caregiverpractice"],
  "patient.primary_physician": ["physician", "physicianid", "provider", "primaryphysician"],
  "insurance.id": ["insuranceid", "patientinsurance", "patientinsuranceid", "coverageid"],
  "insurance.rank": ["rank", "priority", "order", "insurancerank", "coveragelevel", "level"],
  "insurance.carrier": ["carrier", "payer", "payor", "insurance", "insurancename", "company", "payername", "insurer"],
  "insurance.insurance_company": ["insurancecompany", "insurancecompanyid", "companyid", "carrierid"],
  "insurance.plan": ["plan", "planname", "insuranceplan", "product"],
  "insurance.member_id": ["memberid", "member", "subscriberid", "policynumber", "policyid", "membernumber"],
  "insurance.group_id": ["groupid", "group", "groupnumber"],
  "insurance.copay": ["copay", "copayment"],
  "insurance.start_date": ["startdate", "effectivedate", "start", "from", "effective"],
  "insurance.end_date": ["enddate", "terminationdate", "end", "termdate", "to", "until"],
  "insurance.relationship_to_insured": ["relationshiptoinsured", "relationship", "relation"],
  "insurance.insured_person_first_name": ["insuredfirstname", "insuredpersonfirstname", "subscriberfirstname"],
  "insurance.insured_person_last_name": ["insuredlastname", "insuredpersonlastname", "subscriberlastname"],
  "insurance.insured_person_dob": ["insureddob", "insuredpersondob", "subscriberdob"],
};

const bare = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, "");

/** What each heading most likely means: its own name, or a known other one; none is taken for two. */
export function guessColumns(headings: readonly string[]): Columns {
  const guessed: Record<string, ColumnTarget> = {};
  const taken = new Set<ColumnTarget>();
  const take = (heading: string, target: ColumnTarget | undefined) => {
    if (!target || taken.has(target) || heading in guessed) return;
    guessed[heading] = target;
    taken.add(target);
  };
  for (const heading of headings)
    take(
      heading,
      COLUMN_TARGETS.find((target) => target === heading.trim().toLowerCase()),
    );
  for (const heading of headings) {
    take(
      heading,
      COLUMN_TARGETS.find((target) => SYNONYMS[target]?.includes(bare(heading))),
    );
  }
  for (const heading of headings) {
    take(
      heading,
      COLUMN_TARGETS.find((target) => bare(target.split(".")[1] as string) === bare(heading)),
    );
  }
  return guessed;
}

/** Fields that hold numbers: an id in a CSV is text of digits. */
const NUMBERS = new Set(["id", "insurance_company", "caregiver_practice", "primary_physician"]);

type Row = Readonly<Record<string, string>>;

/** One row as the patient and the insurance it is of; the insurance is null where every column of it is empty. */
export function readRow(row: Row, columns: Columns) {
  const patient: Record<string, unknown> = {};
  const insurance: Record<string, unknown> = {};
  for (const [heading, target] of Object.entries(columns)) {
    const [of, field] = target.split(".") as [string, string];
    (of === "patient" ? patient : insurance)[field] = cellOf(field, row[heading] ?? "");
  }
  const isEmpty = Object.values(insurance).every((value) => value === null);
  return { patient, insurance: isEmpty ? null : insurance };
}

function cellOf(field: string, text: string): string | number | null {
  if (text.trim() === "") return null;
  return NUMBERS.has(field) && /^\d{1,15}$/.test(text.trim()) ? Number(text) : text;
}
