import { createHash, hash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { insuranceInputShape } from "@/lib/insurance/fields/fields";
import { RANK_WORDS } from "@/lib/insurance/fields/limits";
import { patientInput } from "@/lib/insurance/patients/schema";
import { companyInput } from "@/lib/insurance/payers/schema";
import { jsonbText } from "@/lib/platform/db/row-text";
import { timeParam } from "@/lib/platform/http/query";
import { reference } from "@/lib/platform/http/validation";

/** A patient, insurance or card as read, not validated yet. */
export type RawRecord = Readonly<Record<string, unknown>>;

/** Returns whether a value is null, empty or only white space. */
export function isBlank(value: unknown): boolean {
  return value === null || value === undefined || (typeof value === "string" && value.trim() === "");
}

/** Returns whether a value is an object with fields. */
export function isRecord(value: unknown): value is RawRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns a value as trimmed text; empty if it is blank. Other types become JSON, which every check rejects. */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value.trim();
  return value === null || value === undefined ? "" : JSON.stringify(value);
}

/** Returns the records of a list. Other entries are omitted. */
export function recordsOf(value: unknown): RawRecord[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** Returns the value at a path below a value; undefined if it has none. */
export function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (node, key) => (typeof node === "object" && node !== null ? Reflect.get(node, key) : undefined),
    value,
  );
}

/** An ID as given: a number, or text in exports of other systems. */
export type RecordId = number | string;

/** Returns the ID of a record, or null. */
export function idOf({ id }: RawRecord): RecordId | null {
  if (typeof id === "string") return id.trim() === "" ? null : id;
  return typeof id === "number" && Number.isSafeInteger(id) ? id : null;
}

/** Returns whether a value is a valid calendar date `YYYY-MM-DD`, without outer space. */
export function isCalendarDate(value: unknown): value is string {
  const text = typeof value === "string" ? value : "";
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? [];
  if (!year || year === "0000") return false;
  const date = new Date(`${year}-${month}-${day}T00:00:00Z`);
  // A day that the month doesn't have becomes one of the next month.
  return date.getUTCDate() === Number(day);
}

/** Treats blank text as null, as legacy exports do (migration checks, "Blank"). */
function blankAsNull<S extends z.ZodType>(schema: S) {
  return z.preprocess((value) => (typeof value === "string" && value.trim() === "" ? null : value), schema);
}

const time = timeParam({ zone: "required" }).nullish();

const list = <S extends z.ZodType>(entry: S, max: number) =>
  z
    .array(entry)
    .max(max)
    .nullish()
    .transform((entries) => entries ?? []);

/** A legacy insurance in an export. */
export const legacyInsurance = z.object({
  ...insuranceInputShape,
  copay: blankAsNull(insuranceInputShape.copay),
  deductible: blankAsNull(insuranceInputShape.deductible),
  start_date: blankAsNull(insuranceInputShape.start_date),
  end_date: blankAsNull(insuranceInputShape.end_date),
  payment_program: blankAsNull(insuranceInputShape.payment_program),
  relationship_to_insured: blankAsNull(insuranceInputShape.relationship_to_insured),
  id: reference,
  rank: z.preprocess((value) => (typeof value === "string" ? value.trim().toLowerCase() : value), z.enum(RANK_WORDS)),
  created_date: time,
  deleted_date: time,
});
/** A legacy insurance as read. IDs of payers and plans are those of the export. */
export type LegacyInsurance = z.output<typeof legacyInsurance>;

/**
 * Returns whether a time is beyond the calendar. Some systems write their latest time (`292278994-08-17`) if the end of a
 * past insurance is unknown.
 */
export function isBeyondCalendar(value: unknown): boolean {
  return typeof value === "string" && /^\+?\d{5,}-/.test(value.trim());
}

const knownEnd = <S extends z.ZodType>(schema: S) =>
  z.preprocess((value) => (isBeyondCalendar(value) ? null : value), schema);

/** A past insurance. An end beyond the calendar is unknown. */
export const pastInsurance = legacyInsurance.extend({
  end_date: knownEnd(legacyInsurance.shape.end_date),
  deleted_date: knownEnd(legacyInsurance.shape.deleted_date),
});

/** A phone as read. Deleted phones are included, with the date. */
const phone = patientInput.shape.phones.unwrap().element.extend({ deleted_date: time });

const stagedCard = z.object({
  rank: z.int().min(1).max(3),
  images: z.array(z.object({ side: z.int().min(1).max(9), sha256: z.string() })).max(9),
});

/**
 * A patient of a legacy export, as `GET patients` returns it, with hashes in place of card images. Unknown fields are
 * ignored.
 */
export const stagedPatient = patientInput.omit({ caregiver_practice: true, insurances: true }).extend({
  id: reference,
  primary_physician: reference.nullish(),
  phones: list(phone, 50).transform((phones) => phones.filter(({ deleted_date }) => !deleted_date)),
  created_date: time,
  deleted_date: z.null({ error: "The patient was deleted in the source system." }).optional(),
  insurances: list(legacyInsurance, 50),
  deleted_insurances: list(pastInsurance, 10_000),
  insurance_cards: list(stagedCard, 3),
});
export type StagedPatient = z.output<typeof stagedPatient>;

/** A payer of a companies file, with its ID in the export. */
export const legacyCompany = companyInput.omit({ practice: true }).extend({ id: reference });

/** A card image that was extracted from a record. */
export interface ExtractedImage {
  rank: number;
  side: number;
  sha256: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/** A record without the bytes of its images, as a run stores it. */
export interface StagedRecord {
  raw: RawRecord;
  /** The record as JSON, if it has characters that `raw` can't hold. */
  exact: string | null;
  images: ExtractedImage[];
  fingerprint: string;
  externalId: string | null;
  person: string | null;
  /** IDs of the current insurances, as text. */
  insuranceIds: string[];
  /** IDs of the past ones. */
  pastIds: string[];
}

/** Why a row of a patient was rejected, in an export that is a table. */
export interface RowFault {
  line: number;
  reason: string;
}

export interface ImageReading {
  bytes: Uint8Array<ArrayBuffer> | null;
  problem: string | null;
}

/**
 * Prepares a record for a run: replaces its card images by their hashes, or by why they are invalid.
 *
 * @param readImage decodes an image in base64, or returns why it is invalid
 */
export async function stageRecord(
  record: RawRecord,
  readImage: (base64: unknown) => Promise<ImageReading>,
): Promise<StagedRecord> {
  const images = new Map<string, ExtractedImage>();
  const whole = await extractImages(record, readImage, images);
  const raw = storable(whole);
  return {
    raw,
    exact: isDeepStrictEqual(raw, whole) ? null : JSON.stringify(whole),
    images: [...images.values()],
    fingerprint: fingerprintOf(raw),
    externalId: recordKey(record) || null,
    person: personHash(record),
    insuranceIds: recordKeys(record.insurances),
    pastIds: recordKeys(record.deleted_insurances),
  };
}

/**
 * Returns a record without the bytes of its images, exactly as the checks read it. Replaces infinite numbers by a value
 * that every check rejects, because in JSON they would become null, which is blank.
 *
 * @param images receives the images, keyed by rank and side
 */
export async function extractImages(
  record: RawRecord,
  readImage: (base64: unknown) => Promise<ImageReading>,
  images: Map<string, ExtractedImage>,
): Promise<RawRecord> {
  const cards =
    record.insurance_cards === undefined ? {} : { insurance_cards: await stageCards(record, readImage, images) };
  return mapFields({ ...record, ...cards }, (value) =>
    typeof value === "number" && !Number.isFinite(value) ? { number: "out of range" } : value,
  );
}

/** Returns a staged record exactly as it was read; null if it couldn't be. */
export function stagedRaw({ raw, exact }: { raw: RawRecord | null; exact: string | null }): RawRecord | null {
  return exact === null ? raw : JSON.parse(exact);
}

function recordKeys(list: unknown): string[] {
  return recordsOf(list)
    .map(recordKey)
    .filter((id) => id !== "");
}

const KEY_LENGTH = 200;

/** Returns the ID of a record as the database indexes it: text of limited length, empty without an ID. */
export function recordKey(record: RawRecord): string {
  const id = replaceUnstorable(textOf(idOf(record)));
  return id.length <= KEY_LENGTH ? id : createHash("sha256").update(id).digest("hex");
}

async function stageCards(
  record: RawRecord,
  readImage: (base64: unknown) => Promise<ImageReading>,
  images: Map<string, ExtractedImage>,
): Promise<unknown> {
  if (!Array.isArray(record.insurance_cards)) return record.insurance_cards;
  const cards: unknown[] = [];
  for (const card of recordsOf(record.insurance_cards)) {
    if (!Array.isArray(card.images)) {
      cards.push(card);
      continue;
    }
    const staged: unknown[] = [];
    for (const { base64_content, ...image } of recordsOf(card.images)) {
      const { bytes, problem } = await readImage(base64_content);
      const sha256 = bytes && createHash("sha256").update(bytes).digest("hex");
      staged.push({ ...image, sha256, bytes: bytes?.length ?? null, problem });
      const [rank, side] = [Number(card.rank), Number(image.side)];
      const key = `${rank} ${side}`;
      if (bytes && sha256 && isPlace(rank, 3) && isPlace(side, 9) && !images.has(key))
        images.set(key, { rank, side, sha256, bytes });
    }
    cards.push({ ...card, images: staged });
  }
  return cards;
}

const isPlace = (value: number, max: number) => Number.isInteger(value) && value >= 1 && value <= max;

/** Returns a hash that all records of a person share; null if the identity is incomplete. */
export function personHash({ caregiver_practice, first_name, last_name, dob, sex }: RawRecord): string | null {
  if ([first_name, last_name, dob].some(isBlank)) return null;
  const names = [first_name, last_name].map((name) => textOf(name).toLowerCase());
  return createHash("sha256")
    .update(JSON.stringify([caregiver_practice, ...names, dob, sex]))
    .digest("hex");
}

/** Replaces the characters of a value that PostgreSQL rejects: NUL and lone surrogates. */
export function storable<T>(value: T): T;
export function storable(value: unknown): unknown {
  return mapValues(value, (leaf) => (typeof leaf === "string" ? replaceUnstorable(leaf) : leaf), replaceUnstorable);
}

function mapValues(value: unknown, change: (leaf: unknown) => unknown, changeKey = (key: string) => key): unknown {
  if (Array.isArray(value)) return value.map((entry) => mapValues(entry, change, changeKey));
  return isRecord(value) ? mapFields(value, change, changeKey) : change(value);
}

function mapFields(record: RawRecord, change: (leaf: unknown) => unknown, changeKey = (key: string) => key): RawRecord {
  return Object.fromEntries(
    Object.entries(record).map(([key, child]) => [changeKey(key), mapValues(child, change, changeKey)]),
  );
}

const replaceUnstorable = (text: string) =>
  text.includes("\u0000") || !text.isWellFormed() ? text.replaceAll("\u0000", "\uFFFD").toWellFormed() : text;

/** Returns a hash of a record, regardless of the order of its fields. */
export function fingerprintOf(record: object): string {
  return hash("sha256", jsonbText(record));
}
