import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { idOf, isBlank, isRecord, type RawRecord, recordsOf, textOf } from "@/lib/migration/record/raw-record";
import { legacyPatient } from "@/lib/migration/record/schema";

/** A card image that was extracted from a record. */
export interface SetAsideImage {
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
  images: SetAsideImage[];
  fingerprint: string;
  externalId: string | null;
  person: string | null;
  /** Ids of the current insurances, as text. */
  insuranceIds: string[];
  /** Ids of the past ones. */
  pastIds: string[];
}

export interface ImageReading {
  bytes: Uint8Array<ArrayBuffer> | null;
  problem: string | null;
}

/**
 * Takes the images out of a record: what is left is small, and tells of each image its hash, or why it is none.
 *
 * @param readImage gives the bytes of an image of ours in base64, or why it is none
 */
export async function stageRecord(
  record: RawRecord,
  readImage: (base64: unknown) => Promise<ImageReading>,
): Promise<StagedRecord> {
  const images = new Map<string, SetAsideImage>();
  const whole = await setImagesAside(record, readImage, images);
  const raw = storable(whole);
  return {
    raw,
    exact: isDeepStrictEqual(raw, whole) ? null : JSON.stringify(whole),
    images: [...images.values()],
    fingerprint: fingerprintOfRaw(raw),
    externalId: recordKey(record) || null,
    person: personHash(record),
    insuranceIds: recordKeys(record.insurances),
    pastIds: recordKeys(record.deleted_insurances),
  };
}

/**
 * A record without its images' bytes, exactly as the checks read it. Numbers beyond all bounds become what no rule takes: as
 * JSON they would be null, which is blank.
 *
 * @param images where the images are put, by place
 */
export async function setImagesAside(
  record: RawRecord,
  readImage: (base64: unknown) => Promise<ImageReading>,
  images: Map<string, SetAsideImage>,
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

/** Returns the id of a record as the database indexes it: text of limited length; empty if there is none. */
export function recordKey(record: RawRecord): string {
  const id = mended(textOf(idOf(record)));
  return id.length <= KEY_LENGTH ? id : createHash("sha256").update(id).digest("hex");
}

async function stageCards(
  record: RawRecord,
  readImage: (base64: unknown) => Promise<ImageReading>,
  images: Map<string, SetAsideImage>,
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

const isPlace = (value: number, most: number) => Number.isInteger(value) && value >= 1 && value <= most;

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
  return mapValues(value, (leaf) => (typeof leaf === "string" ? mended(leaf) : leaf), mended);
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

const mended = (text: string) =>
  text.includes("\u0000") || !text.isWellFormed() ? text.replaceAll("\u0000", "\uFFFD").toWellFormed() : text;

/** Returns the hash of a staged record, to detect changes. */
export function fingerprintOfRaw(raw: RawRecord): string {
  return createHash("sha256").update(canonical(raw)).digest("hex");
}

/** Returns a value as JSON with sorted fields. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, node: unknown) => {
    if (typeof node !== "object" || node === null || Array.isArray(node)) return node;
    return Object.fromEntries(Object.entries(node).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

const stagedCard = z.object({
  rank: z.int().min(1).max(3),
  images: z.array(z.object({ side: z.int().min(1).max(9), sha256: z.string() })).max(9),
});

/** A patient of an export as a run reads it, with hashes in place of card images. */
export const stagedPatient = legacyPatient.extend({
  insurance_cards: z
    .array(stagedCard)
    .max(3)
    .nullish()
    .transform((cards) => cards ?? []),
});
export type StagedPatient = z.output<typeof stagedPatient>;
