import type { CsvOptions } from "@/lib/migration/read/read-csv";
import { type ReadRecord, readRecords } from "@/lib/migration/read/read-records";
import type { RowFault } from "@/lib/migration/record/patient-rows";
import { type ImageReading, type StagedRecord, stageRecord } from "@/lib/migration/record/staged-record";
import { ValidationError } from "@/lib/platform/errors";
import type { Source } from "@/lib/platform/files/source";
import { decodeBase64 } from "@/lib/platform/storage/process-image";
import { findImageProblem } from "./image-problem";

const BATCH_RECORDS = 200;
/** Records without their images: what the server takes in between two requests. */
const BATCH_DETAIL_BYTES = 1024 * 1024;
const BATCH_IMAGE_BYTES = 8 * 1024 * 1024;

/** A record on its way into a run. */
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
  /** How much of the file was read for it. */
  bytesRead: number;
}

export interface StagingOptions {
  columns?: CsvOptions["columns"];
  /** Records from the start of the file that are there already. */
  skip: number;
  /** Called with each step of the work, also while there is no record yet. */
  onStep?: CsvOptions["onStep"];
}

/**
 * Reads an export and prepares its records for a run, in batches of bounded size.
 *
 * @throws BusinessRuleError as `readRecords`
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

/** The bytes of a card image, or why it is none. */
export async function readImage(base64: unknown): Promise<ImageReading> {
  const problem = await findImageProblem(base64);
  if (problem !== null || typeof base64 !== "string") return { bytes: null, problem };
  try {
    return { bytes: decodeBase64(base64, "base64_content"), problem: null };
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    return { bytes: null, problem: "an image is no base64." };
  }
}

/** @param read how many bytes of the file the record took, images included */
function detailBytes({ record }: Staged, read: number): number {
  const isSmall = read > 0 && read < 16 * 1024;
  return isSmall || !record ? Math.max(read, 100) : JSON.stringify(record.raw).length;
}
