import type { Origin } from "@/lib/access/identity/access";
import { INSURANCE_FIELDS } from "@/lib/insurance/fields/fields";
import {
  allocateInsuranceIds,
  allocatePatientIds,
  allocatePolicyIds,
  takeId,
} from "@/lib/insurance/patients/allocate-ids";
import type { PatientToImport } from "@/lib/insurance/patients/rules";
import type { InsuranceRow, LegacyCardRow } from "@/lib/insurance/patients/schema";
import { insertCards } from "@/lib/insurance/patients/store";
import { POLICY_COLUMNS, type PolicyRow } from "@/lib/insurance/policies/schema";
import { writeImages } from "@/lib/insurance/policies/store";
import { JsonArray } from "@/lib/platform/db/json-array";
import { type Db, insertInto, json, raw, type Sql, sql } from "@/lib/platform/db/sql";
import type { Tx } from "@/lib/platform/db/transaction";
import { hashRows, type ImportedRows, importedRows, type VersionToImport } from "./imported-rows";

/** An imported patient with its legacy records. */
export interface ImportedPatient {
  id: number;
  practice_id: number;
  externalId: number;
  /** Hash of the imported record. */
  fingerprint: string;
  first_name: string;
  last_name: string;
  dob: string;
  insurances: InsuranceRow[];
  cards: LegacyCardRow[];
  /** Hash of all its rows, from `hashRows`. */
  rows: string;
}

interface ImportContext {
  practiceId: number;
  /** ISO 8601 */
  now: string;
  origin: Origin;
}

/** What `writeImport` writes. It holds texts rather than rows, because many rows in memory make garbage collection slow. */
export interface ImportWrites {
  /** The statements that write patients, apart from card images. */
  statements: Sql[];
  cards: (LegacyCardRow & { patient_id: number })[];
  /** The policies that show card images. */
  withImages: PolicyRow[];
}

/** Patients with their IDs, and what writes them. */
export interface PreparedImport {
  patients: ImportedPatient[];
  writes: ImportWrites;
}

/**
 * Inserts patients of another system into both stores: their current and past legacy insurances with the cards, and the
 * policies built from them. Replicates nothing.
 */
export async function importPatients(
  tx: Tx,
  patients: readonly PatientToImport[],
  context: ImportContext,
): Promise<ImportedPatient[]> {
  const prepared = await prepareImport(tx, patients, context);
  await writeImport(tx, prepared.writes);
  return prepared.patients;
}

/**
 * Reserves the IDs of an import and builds its statements, which takes most of its time in this process. It writes nothing,
 * so it can run before the transaction.
 */
export async function prepareImport(
  read: Db,
  patients: readonly PatientToImport[],
  context: ImportContext,
): Promise<PreparedImport> {
  if (patients.length === 0) return { patients: [], writes: { statements: [], cards: [], withImages: [] } };
  const count = patients.reduce((sum, { insurances }) => sum + insurances.length, 0);
  const ids = await allocatePatientIds(read, patients.length);
  const insuranceIds = await allocateInsuranceIds(read, count);
  const policyIds = await allocatePolicyIds(read, count);
  const rows: ImportedRows["patient"][] = [];
  const creations = new JsonArray();
  const versions = new JsonArray();
  const imported: ImportedPatient[] = [];
  const withImages: PolicyRow[] = [];
  // One patient after the other, and only its texts stay.
  for (const patient of patients) {
    const own = {
      patient: takeId(ids),
      insurances: patient.insurances.map(() => takeId(insuranceIds)),
      policies: patient.insurances.map(() => takeId(policyIds)),
    };
    const written = importedRows(patient, own, context);
    rows.push(written.patient);
    creations.add(...creationTexts(written));
    for (const version of written.versions) {
      versions.add(...versionTexts(version));
      const { policy } = version.version;
      if (version.isLatest && policy.card_images.length > 0) withImages.push(policy);
    }
    imported.push(toImported(patient, written, context.now));
  }
  const writes = {
    statements: [
      insertInto("patient", rows),
      insertCreations(creations, context),
      ...(count > 0 ? [insertInsurances(versions, context.origin)] : []),
    ],
    cards: imported.flatMap(({ id, cards }) => cards.map((card) => ({ patient_id: id, ...card }))),
    withImages,
  };
  return { patients: imported, writes };
}

function toImported({ externalId, cards }: PatientToImport, written: ImportedRows, now: string): ImportedPatient {
  const { patient, insurances } = written;
  const { id, practice_id, source_fingerprint: fingerprint, first_name, last_name, dob } = patient;
  const rows = hashRows(written, now);
  return { id, practice_id, externalId, fingerprint, first_name, last_name, dob, insurances, cards, rows };
}

/** Writes a prepared import. Errors of the database appear at the next statement that is awaited. */
export async function writeImport(tx: Tx, { statements, cards, withImages }: ImportWrites): Promise<void> {
  for (const statement of statements) tx.send(statement);
  await insertCards(tx, cards);
  await writeImages(
    tx,
    withImages.map((now) => ({ before: null, now })),
  );
}

const creationTexts = ({ patient: { id }, changes }: ImportedRows) => [
  '{"changes": ',
  changes,
  `, "patient_id": ${id}}`,
];

/** Appends each patient's first version. */
function insertCreations(creations: JsonArray, { now, origin }: ImportContext): Sql {
  const { actor, source, reason, requestId } = origin;
  return sql`
    INSERT INTO patient_version (patient_id, version, kind, changes, actor, source, reason, request_id, occurred_date)
    SELECT patient_id, 1, 'created', changes, ${json(actor)}, ${source}, ${reason}, ${requestId}, ${now}
    FROM jsonb_to_recordset(${creations.end()}::jsonb) AS v(patient_id bigint, changes jsonb)`;
}

const FIELDS = raw(INSURANCE_FIELDS.join(", "));
const POLICY = raw(POLICY_COLUMNS.join(", "));

function versionTexts({ version: { kind, occurredDate }, insurance, isLatest, snapshot }: VersionToImport): string[] {
  const rest = { kind, occurred_date: occurredDate, external_id: insurance.external_id, is_latest: isLatest };
  return ['{"snapshot": ', snapshot, `, ${JSON.stringify(rest).slice(1)}`];
}

/**
 * Inserts legacy insurances, their policies and the versions of these: active policies for current insurances, archived ones
 * for past insurances. The versions have the dates of the legacy records. PostgreSQL reads each policy once, as the snapshot
 * of its version, and takes the rows of both stores from the latest snapshot.
 */
function insertInsurances(versions: JsonArray, { actor, source, reason, requestId }: Origin): Sql {
  return sql`
    WITH version AS MATERIALIZED (
      SELECT * FROM jsonb_to_recordset(${versions.end()}::jsonb)
        AS v(snapshot jsonb, kind text, occurred_date timestamptz, external_id bigint, is_latest boolean)
    ), latest AS MATERIALIZED (
      SELECT v.external_id, p.* FROM version v CROSS JOIN LATERAL jsonb_populate_record(NULL::policy, v.snapshot) p
      WHERE v.is_latest
    ), insurances AS (
      INSERT INTO patient_insurance (id, patient_id, practice_id, policy_id, external_id, rank, ${FIELDS}, created_date,
        deleted_date)
      SELECT patient_insurance, patient_id, practice_id, id, external_id, rank, ${FIELDS}, created_date, archived_date
      FROM latest
    ), policies AS (
      INSERT INTO policy (${POLICY}) SELECT ${POLICY} FROM latest
    )
    INSERT INTO policy_version (policy_id, version, patient_id, kind, snapshot, actor, source, reason, request_id,
      occurred_date)
    SELECT (snapshot->>'id')::bigint, (snapshot->>'version')::int, (snapshot->>'patient_id')::bigint, kind, snapshot,
      ${json(actor)}, ${source}, ${reason}, ${requestId}, occurred_date
    FROM version`;
}
