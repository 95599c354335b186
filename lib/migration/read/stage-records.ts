import type { CsvOptions } from "@/lib/migration/read/read-csv";
import { type ReadRecord, readRecords } from "@/lib/migration/read/read-records";
import { isBlank, type RowFault } from "@/lib/migration/record/raw-record";
import { type ImageReading, type StagedRecord, stageRecord } from "@/lib/migration/record/stage-record";
import { DomainError, ValidationError } from "@/lib/platform/errors";
import type { Source } from "@/lib/platform/files/source";

const BATCH_RECORDS = 200;
/** Bytes per batch without images, so that the server can serve other requests in between. */
const BATCH_DETAIL_BYTES = 1024 * 1024;
const BATCH_IMAGE_BYTES = 8 * 1024 * 1024;

/** A record to stage. */
export interface Staged {
  number: number;
  line: number;
  refusal: string | null;
  /** Rejected rows of the patient. */
  faults?: readonly RowFault[] | undefined;
  record: StagedRecord | null;
}

export interface StagedBatch {
  records: Staged[];
  /** Bytes of the file that were read. */
  bytesRead: number;
}

export interface StagingOptions {
  columns?: CsvOptions["columns"];
  /** Records at the start of the file that are already staged. */
  skip: number;
  /** Called with each step, also before the first record. */
  onStep?: CsvOptions["onStep"];
}

/**
 * Reads an export and prepares its records for a run, in batches of bounded size.
 *
 * @throws BusinessRuleError, as `readRecords` does
 */
export async function* stageRecords(
  source: Source,
  { columns, skip, onStep }: StagingOptions,
): AsyncGenerator<StagedBatch> {
  let records: Staged[] = [];
  let [details, images, number, bytesRead] = [0, 0, 0, 0];
  for await (const read of readRecords(source, { columns, onStep })) {
    onStep?.();
    number++;
    if (number <= skip) continue;
    const staged = await stage(read, number);
    records.push(staged);
    details += detailBytes(staged, read.bytesRead - bytesRead);
    images += staged.record?.images.reduce((sum, { bytes }) => sum + bytes.length, 0) ?? 0;
    ({ bytesRead } = read);
    if (records.length < BATCH_RECORDS && details < BATCH_DETAIL_BYTES && images < BATCH_IMAGE_BYTES) continue;
    yield { records, bytesRead };
    records = [];
    details = 0;
    images = 0;
  }
  if (records.length > 0) yield { records, bytesRead };
}

async function stage(read: ReadRecord, number: number): Promise<Staged> {
  if ("reason" in read) return { number, line: read.number, refusal: read.reason, record: null };
  const record = await stageRecord(read.record, readImage);
  return { number, line: read.number, refusal: null, faults: read.faults, record };
}

/** Loads the code for images once there is one: it would be most of what a reading thread loads before the first record. */
const loadImageCode = () => import("@/lib/platform/storage/process-image");

/** Decodes a card image, or returns why it can't be decoded. */
export async function readImage(base64: unknown): Promise<ImageReading> {
  const { decodeBase64 } = await loadImageCode();
  const problem = await findImageProblem(base64);
  if (problem !== null || typeof base64 !== "string") return { bytes: null, problem };
  try {
    return { bytes: decodeBase64(base64, "base64_content"), problem: null };
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    return { bytes: null, problem: "an image is not base64." };
  }
}

/** @param read the bytes of the record in the file, including images */
function detailBytes({ record }: Staged, read: number): number {
  const isSmall = read > 0 && read < 16 * 1024;
  return isSmall || !record ? Math.max(read, 100) : JSON.stringify(record.raw).length;
}

const NO_IMAGE = "an image is not a PNG or JPEG in base64.";

/** Returns why a base64 text isn't a supported image, or null. */
export async function findImageProblem(base64: unknown): Promise<string | null> {
  if (typeof base64 !== "string" || isBlank(base64)) return NO_IMAGE;
  const { decodeBase64, isDecodable } = await loadImageCode();
  try {
    return (await isDecodable(decodeBase64(base64, "base64_content"))) ? null : NO_IMAGE;
  } catch (error) {
    if (error instanceof DomainError && error.reason === "image_too_large") return "an image is larger than 10 MiB.";
    // A failure to start the decoder says nothing about the image.
    if (!(error instanceof ValidationError)) throw error;
    return JSON.stringify(error.fields).includes("megapixels") ? "an image has more than 40 megapixels." : NO_IMAGE;
  }
}
