import { TEXT_LIMITS } from "@/lib/insurance/fields/limits";

/** The field in a CSV column, of the patient or of a current insurance. */
export type ColumnTarget = `patient.${string}` | `insurance.${string}`;

/** The field of each column by heading. Other columns are not read. */
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
  "id",
  "rank",
  "insurance_company",
  "copay",
  "deductible",
  "start_date",
  "end_date",
  "payment_program",
  "relationship_to_insured",
  "created_date",
  ...Object.keys(TEXT_LIMITS),
];

/** All fields that a column can map to. */
export const COLUMN_TARGETS: readonly ColumnTarget[] = [
  ...PATIENT_FIELDS.map((field): ColumnTarget => `patient.${field}`),
  ...[...new Set(INSURANCE_FIELDS)].map((field): ColumnTarget => `insurance.${field}`),
];

// cspell:disable
/** Other headings of a field, ignoring case, spaces and punctuation. */
const SYNONYMS: Partial<Record<ColumnTarget, readonly string[]>> = {
  "patient.id": ["patientid", "patient", "mrn", "chartid", "chartnumber"],
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
// cspell:enable

const bare = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, "");

/** Field names that are ambiguous: an address may be the patient's or the insurance's. */
const AMBIGUOUS = new Set(["id", "address", "suite", "city", "state", "zip", "phone", "extension"]);

/** Ways in which a heading can match a field, the most certain first. */
const READINGS: readonly ((heading: string, target: ColumnTarget) => boolean)[] = [
  (heading, target) => heading.trim().toLowerCase() === target,
  (heading, target) => bare(heading) === bare(target),
  (heading, target) => SYNONYMS[target]?.includes(bare(heading)) ?? false,
  (heading, target) => {
    const [, field = ""] = target.split(".");
    return !AMBIGUOUS.has(field) && bare(heading) === bare(field);
  },
  (heading, target) => target === "patient.id" && bare(heading) === "id",
];

/** Guesses the field of each heading. No field is used twice, and ambiguous headings get none. */
export function guessColumns(headings: readonly string[]): Columns {
  const guessed = new Map<string, ColumnTarget>();
  const taken = new Set<ColumnTarget>();
  for (const means of READINGS) {
    for (const heading of headings) {
      const target = COLUMN_TARGETS.find((one) => means(heading, one));
      if (!target || taken.has(target) || guessed.has(heading)) continue;
      guessed.set(heading, target);
      taken.add(target);
    }
  }
  return Object.fromEntries(guessed);
}

/** Returns why rows can't be read with these columns, or null. */
export function columnsProblem(headings: readonly string[], columns: Columns): string | null {
  const seen = new Set<string>();
  const twice = headings.find((heading) => heading !== "" && seen.size === seen.add(heading).size);
  if (twice !== undefined) return `The heading "${twice}" appears twice. Rename one of the two.`;
  for (const target of COLUMN_TARGETS) {
    const [one, other] = headings.filter((heading) => columns[heading] === target);
    if (other !== undefined) return `"${one}" and "${other}" both map to ${target}. Map only one of them.`;
  }
  if (headings.some((heading) => columns[heading] === "patient.id")) return null;
  return `No column maps to the patient ID (patient.id). Map it with --columns. Headings: ${headings.join(", ")}.`;
}

/** Fields with numeric IDs, which are digits in a CSV file. */
const NUMBERS = new Set(["id", "insurance_company", "caregiver_practice", "primary_physician"]);
const AMOUNTS = new Set(["copay", "deductible"]);

/** Returns whether a column holds numbers: IDs or amounts. */
export function isNumberTarget(target: ColumnTarget | undefined): boolean {
  const field = target?.split(".")[1] ?? "";
  return NUMBERS.has(field) || AMOUNTS.has(field);
}

type Row = Readonly<Record<string, string>>;

/** Reads a row as a patient and an insurance. The insurance is null if all its columns are empty. */
export function readRow(row: Row, columns: Columns) {
  const patient: Record<string, unknown> = {};
  const insurance: Record<string, unknown> = {};
  for (const [heading, target] of Object.entries(columns)) {
    const [of, field = ""] = target.split(".");
    (of === "patient" ? patient : insurance)[field] = parseCell(field, row[heading] ?? "");
  }
  nameCarrier(insurance);
  const isEmpty = Object.values(insurance).every((value) => value === null);
  return { patient, insurance: isEmpty ? null : insurance };
}

/** Moves a payer name to `carrier`: a column "Insurance Company" holds IDs in some exports and names in others. */
function nameCarrier(insurance: Record<string, unknown>): void {
  const { carrier = null, insurance_company: company } = insurance;
  if (typeof company !== "string" || carrier !== null) return;
  insurance.carrier = company;
  insurance.insurance_company = null;
}

function parseCell(field: string, text: string): string | number | null {
  if (text.trim() === "") return null;
  return NUMBERS.has(field) && /^(0|[1-9]\d{0,14})$/.test(text.trim()) ? Number(text) : text;
}
