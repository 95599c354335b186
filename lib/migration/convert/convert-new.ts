import type { Origin } from "@/lib/access/identity/access";
import { publishEvents } from "@/lib/events/published/publish-events";
import {
  type ImportedPatient,
  type ImportWrites,
  prepareImport,
  writeImport,
} from "@/lib/insurance/commands/import-patients";
import type { PatientToImport } from "@/lib/insurance/patients/rules";
import type { LegacyCardRow } from "@/lib/insurance/patients/schema";
import { type Destination, targetPatient } from "@/lib/migration/record/mapping";
import { fingerprintOf } from "@/lib/migration/record/raw-record";
import type { StagedPatient } from "@/lib/migration/record/schema";
import type { Outcome, StagedRow } from "@/lib/migration/runs/schema";
import { kysely } from "@/lib/platform/db/kysely";
import { type Db, db, json, sql } from "@/lib/platform/db/sql";
import type { Tx } from "@/lib/platform/db/transaction";
import { DomainError, OverloadedError } from "@/lib/platform/errors";
import { sign } from "@/lib/platform/signing";
import { discardImage, processImage, storeImage } from "@/lib/platform/storage/process-image";
import type { StoredImage } from "@/lib/platform/storage/stored-image";

/** A record to convert, as it is stored and as the conversion reads it. */
export interface ReadyRecord {
  row: StagedRow;
  patient: StagedPatient;
}

/** A record of a new patient, whose card images are stored. */
export interface PreparedRecord {
  number: number;
  patient: PatientToImport;
}

/** New patients, ready to be written, and what the conversion will have done to each. */
export interface PreparedPatients {
  created: readonly Converted[];
  writes: ImportWrites;
}

interface NewContext {
  destination: Destination;
  origin: Origin;
  /** ISO 8601; the creation time of all patients of the batch */
  now: string;
}

/** Maps records without card images to the patients to create. */
export function mapNew(records: readonly ReadyRecord[], context: NewContext): PreparedRecord[] {
  return records.map(({ row: { number }, patient }) => ({ number, patient: toImport(patient, [], context) }));
}

/** Stores the card images of records and maps these to the patients to create. Omits patients with an invalid image. */
export async function mapWithCards(
  runId: number,
  records: readonly ReadyRecord[],
  context: NewContext,
): Promise<PreparedRecord[]> {
  const mapped: PreparedRecord[] = [];
  for (const record of records) {
    const { row, patient } = record;
    const images = await loadImages(runId, record);
    const { practiceId } = context.destination;
    const cards = await storeCards(patient, images, { practiceId, now: context.now });
    if (cards) mapped.push({ number: row.number, patient: toImport(patient, cards, context) });
  }
  return mapped;
}

function toImport(patient: StagedPatient, cards: LegacyCardRow[], { destination, now }: NewContext): PatientToImport {
  return { fingerprint: fingerprintOf(patient), cards, ...targetPatient(patient, destination, now) };
}

/** Prepares writing new patients, outside of the transaction. */
export async function prepareNew(
  records: readonly PreparedRecord[],
  { destination: { practiceId }, now, origin }: NewContext,
  read: Db = db,
): Promise<PreparedPatients> {
  const mapped = records.map(({ patient }) => patient);
  const { patients, writes } = await prepareImport(read, mapped, { practiceId, now, origin });
  const created = patients.flatMap((patient, at): Converted[] => {
    const record = records[at];
    return record ? [{ number: record.number, patient_id: patient.id, outcome: createdOutcome(patient) }] : [];
  });
  return { created, writes };
}

/**
 * Loads the card images of a record, keyed by `rank side`. One record at a time, because images can take much memory.
 */
export async function loadImages(
  runId: number,
  { row: { number }, patient }: ReadyRecord,
): Promise<Map<string, Uint8Array<ArrayBuffer>>> {
  if (patient.insurance_cards.length === 0) return new Map();
  const rows = await db.rows(
    kysely
      .selectFrom("migration_image")
      .select(["rank", "side", "bytes"])
      .where("run_id", "=", runId)
      .where("number", "=", number),
  );
  return new Map(rows.map(({ rank, side, bytes }) => [`${rank} ${side}`, new Uint8Array(bytes)]));
}

/** Stores the card images of a patient; null if one of them is invalid. */
async function storeCards(
  patient: StagedPatient,
  images: ReadonlyMap<string, Uint8Array<ArrayBuffer>>,
  { practiceId, now }: { practiceId: number; now: string },
): Promise<LegacyCardRow[] | null> {
  const fingerprint = fingerprintOf(patient);
  const places = patient.insurance_cards.flatMap(({ rank, images: sides }) =>
    sides.flatMap(({ side }) => {
      const bytes = images.get(`${rank} ${side}`);
      return bytes ? [{ rank, side, bytes }] : [];
    }),
  );
  places.sort((a, b) => a.rank - b.rank || a.side - b.side);
  const stored: LegacyCardRow[] = [];
  try {
    // One at a time, because decoding a 40-megapixel image takes much memory.
    for (const { rank, side, bytes } of places) {
      const processed = await processImage(bytes);
      const key = importedImageKey(`${practiceId} ${patient.id} ${fingerprint} ${rank} ${side}`);
      stored.push({ rank, image_rank: side, ...(await storeImage(processed, now, key)) });
    }
  } catch (error) {
    // An unreachable store is not the record's fault: the run stops and resumes from here.
    if (!(error instanceof DomainError) || error instanceof OverloadedError) throw error;
    await discardCards(stored);
    return null;
  }
  return stored;
}

/** Deletes stored images that no record refers to. */
export async function discardCards(cards: readonly Pick<StoredImage, "image_key">[]): Promise<void> {
  for (const { image_key } of cards) await discardImage(image_key);
}

/**
 * Returns an unguessable image key that is the same on every import of a record, so that the next import overwrites
 * images left by a killed one.
 */
export function importedImageKey(place: string): string {
  const bytes = Buffer.from(sign("imported-card", place), "base64url").subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** Writes new patients to both stores and publishes them. The caller audits them in the same transaction. */
export async function writeNew(
  tx: Tx,
  { created, writes }: PreparedPatients,
  { destination: { practiceId }, origin }: NewContext,
): Promise<readonly Converted[]> {
  if (created.length === 0) return [];
  await writeImport(tx, writes);
  const ids = created.map(({ patient_id }) => patient_id);
  await publishEvents(tx, { type: "saved", resource: "patients", ids, practiceId, origin });
  return created;
}

/** Writes new patients as `writeNew` does, and omits each that the database rejects. */
export async function writeNewOneByOne(
  tx: Tx,
  records: readonly PreparedRecord[],
  context: NewContext,
): Promise<readonly Converted[]> {
  const written: Converted[] = [];
  for (const record of records) {
    let added: readonly Converted[] = [];
    const failure = await tx.attempt(async () => {
      added = await writeNew(tx, await prepareNew([record], context, tx), context);
    });
    if (failure && !isRejectedData(failure.error)) throw failure.error;
    if (!failure) written.push(...added);
  }
  return written;
}

/**
 * Returns whether the error is caused by the data (PostgreSQL classes 22 and 23) rather than by the database or
 * network.
 */
export function isRejectedData(error: unknown): boolean {
  if (error instanceof DomainError) return !(error instanceof OverloadedError) && error.code !== "conflict";
  return error instanceof Error && "code" in error && /^2[23]/.test(String(error.code));
}

/** Returns what the conversion did to a new patient. */
function createdOutcome({ fingerprint, insurances, cards, rows }: ImportedPatient): Outcome {
  return {
    created: true,
    fingerprint,
    ...(cards.length === 0 ? { rows } : {}),
    version: 1,
    policies: insurances.map(({ policy_id: id, deleted_date }) => ({ id, version: deleted_date === null ? 1 : 2 })),
    before: [],
    added: insurances.map(({ id }) => id),
    companies: Object.fromEntries(insurances.map((row) => [row.external_id, row.insurance_company])),
    cards: cards.map(({ rank, image_rank: side, ...image }) => ({ rank, side, ...image })),
  };
}

/** The result of converting a record. */
export interface Converted {
  number: number;
  patient_id: number;
  outcome: Outcome | null;
}

/** Marks records as converted, in the transaction that wrote them. */
export function markConverted(tx: Tx, runId: number, records: readonly Converted[]): void {
  if (records.length === 0) return;
  tx.send(sql`
    UPDATE migration_record r SET state = 'converted', patient_id = c.patient_id, outcome = c.outcome
    FROM jsonb_to_recordset(${json(records)}) AS c(number int, patient_id bigint, outcome jsonb)
    WHERE r.run_id = ${runId} AND r.number = c.number`);
}
