import { hash } from "node:crypto";
import { changedFields } from "@/lib/access/identity/access";
import { type PatientToImport, toPatientRow } from "@/lib/insurance/patients/rules";
import { INSURANCE_COLUMNS, type InsuranceRow } from "@/lib/insurance/patients/schema";
import { type ImportedVersion, importedVersions } from "@/lib/insurance/policies/rules";
import { POLICY_COLUMNS } from "@/lib/insurance/policies/schema";
import { jsonbText, recordText } from "@/lib/platform/db/row-text";
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
export interface VersionToImport {
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

/** Returns a hash of all rows of a patient in both stores and their histories, as text. Card images are not part of it. */
export function hashRows({ patient, insurances, versions, changes }: ImportedRows, now: string): string {
  const byId = (a: { id: number }, b: { id: number }) => a.id - b.id;
  const policies = versions.flatMap(({ version, isLatest }) => (isLatest ? [version.policy] : [])).sort(byId);
  const history = versions.map(({ version: { policy, kind, occurredDate }, snapshot }) => {
    const { id, version } = policy;
    const text = recordText({ policy_id: id, version, kind, occurred_date: occurredDate }, VERSION_COLUMNS);
    return { id, text: text + snapshot };
  });
  const text = [
    recordText(patient, PATIENT_COLUMNS),
    jsonbText(patient.details),
    jsonbText(patient.phones),
    recordText({ version: 1, kind: "created", occurred_date: now }, CHANGE_COLUMNS) + changes,
    ...insurances.toSorted(byId).map((row) => recordText(row, INSURANCE_COLUMNS)),
    ...policies.map((row) => recordText(row, POLICY_COLUMNS)),
    ...history.sort(byId).map((one) => one.text),
  ].join("\n");
  return hash("sha256", text);
}

/** Returns the hashes of all rows of these patients, as `hashRows` makes them. Omits patients with card images. */
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
