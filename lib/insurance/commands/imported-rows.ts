import { hash } from "node:crypto";
import { changedFields } from "@/lib/access/identity/access";
import { INSURANCE_FIELDS, type InsuranceFields } from "@/lib/insurance/fields/fields";
import { type PatientToImport, toPatientRow } from "@/lib/insurance/patients/rules";
import { INSURANCE_COLUMNS, type InsuranceRow } from "@/lib/insurance/patients/schema";
import { type ImportedVersion, importedVersions } from "@/lib/insurance/policies/rules";
import { POLICY_COLUMNS } from "@/lib/insurance/policies/schema";
import { copyFields, copyText, jsonbText, recordFields, recordText } from "@/lib/platform/db/row-text";
import type { Row } from "@/lib/platform/db/rows";
import { type Db, raw, sql } from "@/lib/platform/db/sql";

/** The IDs of a patient, and of its insurances and policies in the order of the insurances to import. */
export interface ImportedIds {
  patient: number;
  insurances: readonly number[];
  policies: readonly number[];
}

export type ImportedRows = ReturnType<typeof importedRows>;

/** A version of an imported policy, and the insurance that the policy replicates. */
interface VersionToImport {
  version: ImportedVersion;
  insurance: InsuranceRow;
  isLatest: boolean;
  /** The whole policy, as text. */
  snapshot: string;
}

/**
 * Maps a patient to the rows of both stores and their histories. Imports write these rows, and verification compares with them.
 *
 * @param context.now ISO 8601
 */
export function importedRows(
  patient: PatientToImport,
  { patient: id, insurances: insuranceIds, policies: policyIds }: ImportedIds,
  { practiceId, now }: { practiceId: number; now: string },
) {
  const { externalId, demographics, cards } = patient;
  const { first_name, last_name, dob } = demographics;
  const holder = { id, practice_id: practiceId, first_name, last_name, dob };
  const insurances = patient.insurances.map(
    (insurance, at): InsuranceRow => ({
      id: idAt(insuranceIds, at),
      patient_id: id,
      practice_id: practiceId,
      policy_id: idAt(policyIds, at),
      external_id: insurance.externalId,
      rank: insurance.rank,
      ...insurance.fields,
      created_date: insurance.createdDate,
      deleted_date: insurance.deletedDate,
    }),
  );
  const versions = insurances.flatMap((insurance): VersionToImport[] => {
    const history = importedVersions(holder, insurance, cards);
    return history.map((version, at) => ({
      version,
      insurance,
      isLatest: at === history.length - 1,
      snapshot: jsonbText(version.policy),
    }));
  });
  const notes = insurances.map(({ id: insurance, policy_id, rank, deleted_date }) => ({
    id: insurance,
    policy: policy_id,
    rank,
    kind: deleted_date === null ? "created" : "ended",
  }));
  return {
    patient: { id, ...toPatientRow(patient, { practiceId, now }) },
    insurances,
    versions,
    /** What the first version of the patient records, as text: the imported fields, and notes on the insurances. */
    changes: jsonbText({
      ...changedFields(null, { external_id: externalId, ...demographics }),
      insurances: notes,
      card_ranks: [...new Set(cards.map(({ rank }) => rank))],
    }),
  };
}

function idAt(ids: readonly number[], at: number): number {
  const id = ids[at];
  if (id === undefined) throw new Error("an import has more insurances than IDs");
  return id;
}

const PATIENT_COLUMNS = [
  "id",
  "practice_id",
  "primary_physician_id",
  "external_id",
  "source_fingerprint",
  "master_patient",
  "first_name",
  "middle_name",
  "last_name",
  "dob",
  "sex",
  "version",
  "created_date",
  "last_modified",
  "deleted_date",
] as const satisfies readonly (keyof ImportedRows["patient"])[];
const VERSION_COLUMNS = ["policy_id", "version", "kind", "occurred_date"] as const;
const CHANGE_COLUMNS = ["version", "kind", "occurred_date"] as const;

const rowOf = (table: string, columns: readonly string[]) =>
  raw(`ROW(${columns.map((column) => `${table}.${column}`).join(", ")})::text`);

/** The columns of a table before and after the fields that both stores share. */
function aroundFields<C extends string>(columns: readonly C[]): { before: readonly C[]; after: readonly C[] } {
  const at = columns.indexOf(INSURANCE_FIELDS[0] as C);
  return { before: columns.slice(0, at), after: columns.slice(at + INSURANCE_FIELDS.length) };
}
const AROUND_INSURANCE = aroundFields(INSURANCE_COLUMNS);
const AROUND_POLICY = aroundFields(POLICY_COLUMNS);

/** A row, or some of its columns, as text for COPY and as `ROW(…)::text`. */
interface RowTexts {
  copied: string;
  record: string;
}

const fieldTexts = (row: InsuranceFields): RowTexts => ({
  copied: copyFields(row, INSURANCE_FIELDS),
  record: recordFields(row, INSURANCE_FIELDS),
});

function rowTexts<R extends { id: number }>(
  row: R,
  { before, after }: { before: readonly (keyof R & string)[]; after: readonly (keyof R & string)[] },
  fields: RowTexts,
): RowTexts & { id: number } {
  return {
    id: row.id,
    copied: [copyFields(row, before), fields.copied, copyFields(row, after)].join("\t"),
    record: `(${recordFields(row, before)},${fields.record},${recordFields(row, after)})`,
  };
}

const haveSameFields = (a: InsuranceFields, b: InsuranceFields) =>
  INSURANCE_FIELDS.every((field) => a[field] === b[field]);

/** The columns of a patient, in the order of `ImportedTexts`. */
export const IMPORTED_PATIENT_COLUMNS = [...PATIENT_COLUMNS, "details", "phones"] as const;

/** The rows of a patient as texts for COPY, apart from the histories, and a hash of all its rows and the histories. */
interface ImportedTexts {
  patient: string;
  insurances: readonly string[];
  policies: readonly string[];
  hash: string;
}

/** Writes the rows of a patient as text. Card images are not part of it. A policy shares the texts of its fields with its insurance. */
export function importedTexts({ patient, insurances, versions, changes }: ImportedRows, now: string): ImportedTexts {
  const fields = new Map(insurances.map((row) => [row, fieldTexts(row)]));
  const insuranceTexts = [...fields].map(([row, texts]) => rowTexts(row, AROUND_INSURANCE, texts));
  const policyTexts = versions.flatMap(({ version: { policy }, insurance, isLatest }) => {
    if (!isLatest) return [];
    const shared = haveSameFields(policy, insurance) ? fields.get(insurance) : undefined;
    return [rowTexts(policy, AROUND_POLICY, shared ?? fieldTexts(policy))];
  });
  const history = versions.map(({ version: { policy, kind, occurredDate }, snapshot }) => {
    const { id, version } = policy;
    const record = recordText({ policy_id: id, version, kind, occurred_date: occurredDate }, VERSION_COLUMNS);
    return { id, record: record + snapshot };
  });
  const [details, phones] = [jsonbText(patient.details), jsonbText(patient.phones)];
  const byId = (a: { id: number }, b: { id: number }) => a.id - b.id;
  const records = [insuranceTexts, policyTexts, history].flatMap((rows) =>
    rows.toSorted(byId).map(({ record }) => record),
  );
  const text = [
    recordText(patient, PATIENT_COLUMNS),
    details,
    phones,
    recordText({ version: 1, kind: "created", occurred_date: now }, CHANGE_COLUMNS) + changes,
    ...records,
  ].join("\n");
  return {
    patient: [copyFields(patient, PATIENT_COLUMNS), copyText(details), copyText(phones)].join("\t"),
    insurances: insuranceTexts.map(({ copied }) => copied),
    policies: policyTexts.map(({ copied }) => copied),
    hash: hash("sha256", text),
  };
}

/** Returns the hashes of all rows of these patients, as `importedTexts` makes them. Omits patients with card images. */
export async function listRowHashes(read: Db, ids: readonly number[]): Promise<Map<number, string>> {
  const rows = await read.rows<Row<"patient", "id"> & { hash: string }>(sql`
    SELECT wanted.id, encode(sha256(convert_to(text, 'UTF8')), 'hex') AS hash
    FROM unnest(${[...ids]}::bigint[]) AS wanted(id) CROSS JOIN LATERAL (
      SELECT concat_ws(E'\n', ${rowOf("p", PATIENT_COLUMNS)}, p.details::text, p.phones::text,
          (SELECT string_agg(${rowOf("h", CHANGE_COLUMNS)} || h.changes::text, E'\n' ORDER BY h.version)
            FROM patient_version h WHERE h.patient_id = p.id),
          (SELECT string_agg(${rowOf("i", INSURANCE_COLUMNS)}, E'\n' ORDER BY i.id)
            FROM patient_insurance i WHERE i.patient_id = p.id),
          (SELECT string_agg(${rowOf("o", POLICY_COLUMNS)}, E'\n' ORDER BY o.id) FROM policy o WHERE o.patient_id = p.id),
          (SELECT string_agg(${rowOf("v", VERSION_COLUMNS)} || v.snapshot::text, E'\n' ORDER BY v.policy_id, v.version)
            FROM policy_version v WHERE v.patient_id = p.id)) AS text,
        (SELECT count(*) FROM legacy_card c WHERE c.patient_id = p.id)
          + (SELECT count(*) FROM policy o JOIN policy_card_image c ON c.policy_id = o.id WHERE o.patient_id = p.id) AS images
      FROM patient p WHERE p.id = wanted.id LIMIT 1) stored
    WHERE images = 0`);
  return new Map(rows.map(({ id, hash }) => [id, hash]));
}
