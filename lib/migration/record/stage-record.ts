import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { fingerprintOf, mapFields, personHash, type RawRecord, recordKey, recordsOf, storable } from "./raw-record";

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

/** Returns the IDs of a list's records, as the database indexes them. */
export function recordKeys(list: unknown): string[] {
  return recordsOf(list)
    .map(recordKey)
    .filter((id) => id !== "");
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
