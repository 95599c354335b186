import type { Origin } from "@/lib/access/identity/access";
import {
  allocateInsuranceIds,
  allocatePatientIds,
  allocatePolicyIds,
  takeId,
} from "@/lib/insurance/patients/allocate-ids";
import type { PatientToImport } from "@/lib/insurance/patients/rules";
import { INSURANCE_COLUMNS, type InsuranceRow, type LegacyCardRow } from "@/lib/insurance/patients/schema";
import { insertCards } from "@/lib/insurance/patients/store";
import { POLICY_COLUMNS, type PolicyRow } from "@/lib/insurance/policies/schema";
import { writeImages } from "@/lib/insurance/policies/store";
import { CopyRows } from "@/lib/platform/db/copy-rows";
import { copyFields, copyText } from "@/lib/platform/db/row-text";
import { copyInto, type Db, type Statement } from "@/lib/platform/db/sql";
import type { Tx } from "@/lib/platform/db/transaction";
import { IMPORTED_PATIENT_COLUMNS, type ImportedRows, importedRows, importedTexts } from "./imported-rows";

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
  /** Hash of all its rows, from `importedTexts`. */
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
  statements: Statement<unknown>[];
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
  const rows = new ImportedTables(context);
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
    imported.push(toImported(patient, written, rows.add(written)));
    for (const { version, isLatest } of written.versions) {
      if (isLatest && version.policy.card_images.length > 0) withImages.push(version.policy);
    }
  }
  const writes = {
    statements: rows.statements(),
    cards: imported.flatMap(({ id, cards }) => cards.map((card) => ({ patient_id: id, ...card }))),
    withImages,
  };
  return { patients: imported, writes };
}

function toImported({ externalId, cards }: PatientToImport, written: ImportedRows, rows: string): ImportedPatient {
  const { patient, insurances } = written;
  const { id, practice_id, source_fingerprint: fingerprint, first_name, last_name, dob } = patient;
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

/** Columns that all versions of an import share. */
const AUTHOR_COLUMNS = ["actor", "source", "reason", "request_id"] as const;
const CREATION_COLUMNS = ["patient_id", "version", "kind", "occurred_date", ...AUTHOR_COLUMNS, "changes"] as const;
const VERSION_COLUMNS = [
  "policy_id",
  "version",
  "patient_id",
  "kind",
  "occurred_date",
  ...AUTHOR_COLUMNS,
  "snapshot",
] as const;

/**
 * The rows that an import writes: patients with their first version, legacy insurances, their policies and the versions of these. Policies
 * are active for current insurances and archived for past ones, and their versions have the dates of the legacy records.
 */
class ImportedTables {
  readonly #patients = new CopyRows();
  readonly #creations = new CopyRows();
  readonly #insurances = new CopyRows();
  readonly #policies = new CopyRows();
  readonly #versions = new CopyRows();
  readonly #author: string;
  readonly #now: string;

  constructor({ now, origin }: ImportContext) {
    const { actor, source, reason, requestId } = origin;
    const author = { actor: JSON.stringify(actor), source, reason, request_id: requestId };
    this.#author = copyFields(author, AUTHOR_COLUMNS);
    this.#now = now;
  }

  /** Adds a patient and returns the hash of its rows. */
  add(written: ImportedRows): string {
    const { patient, insurances, policies, hash } = importedTexts(written, this.#now);
    const { id } = written.patient;
    this.#patients.add(patient);
    this.#creations.add(`${id}\t1\tcreated\t${this.#now}\t${this.#author}\t`, copyText(written.changes));
    for (const row of insurances) this.#insurances.add(row);
    for (const row of policies) this.#policies.add(row);
    for (const { version, snapshot } of written.versions) {
      const { policy, kind, occurredDate } = version;
      const start = `${policy.id}\t${policy.version}\t${id}\t${kind}\t${occurredDate}\t${this.#author}\t`;
      this.#versions.add(start, copyText(snapshot));
    }
    return hash;
  }

  statements(): Statement<unknown>[] {
    const ofPatients = [
      copyInto("patient", IMPORTED_PATIENT_COLUMNS, this.#patients),
      copyInto("patient_version", CREATION_COLUMNS, this.#creations),
    ];
    if (this.#insurances.isEmpty) return ofPatients;
    return [
      ...ofPatients,
      copyInto("patient_insurance", INSURANCE_COLUMNS, this.#insurances),
      copyInto("policy", POLICY_COLUMNS, this.#policies),
      copyInto("policy_version", VERSION_COLUMNS, this.#versions),
    ];
  }
}
