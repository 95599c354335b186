import { type CsvOptions, readTable } from "@/lib/migration/read/read-csv";
import { isRecord, type RawRecord, type RowFault } from "@/lib/migration/record/raw-record";
import { BusinessRuleError } from "@/lib/platform/errors";
import { readLines } from "@/lib/platform/files/read-lines";
import { readRows, type TableRow } from "@/lib/platform/files/read-rows";
import { isWorkbook, readWorkbook } from "@/lib/platform/files/read-workbook";
import { type OpenZip, openOnlyFile, openZip } from "@/lib/platform/files/read-zip";
import { inMib, READING_LIMITS } from "@/lib/platform/files/reading-limits";
import { readBeginning, type Source } from "@/lib/platform/files/source";
import { type DocumentForm, splitJson } from "@/lib/platform/files/split-json";
import { type ChangedSource, decodeUtf16, gunzipSource, unreadableFile } from "@/lib/platform/files/unpack";

/**
 * A record of a legacy export, or why it can't be read. A record with faults is incomplete: rows of its patient were
 * rejected, so a missing insurance has not necessarily ended.
 */
export type ReadRecord = { number: number; bytesRead: number } & (
  | { record: RawRecord; faults?: readonly RowFault[] }
  | { reason: string }
);

/**
 * `lines`: one record or one page per line. `array`: one JSON array. `page`: one response of `GET patients` over several
 * lines. `records`: records over several lines. `csv`: one insurance per row, below a row of headings.
 */
export type ExportFormat = DocumentForm | "lines" | "csv";

const { recordBytes, detailBytes, depth: maxDepth, values: maxValues } = READING_LIMITS;
const DETECTION_BYTES = 64 * 1024;

/**
 * Reads the records of a legacy export one by one. It can be NDJSON, a JSON array, saved responses of
 * `GET /api/2.0/patients/`, CSV or an Excel workbook, in UTF-8 or UTF-16, compressed with gzip or zip or not. `number` is the
 * line if there is one record per line, and counts the records otherwise.
 *
 * @throws BusinessRuleError columns_unknown: the headings of a table don't determine its columns; file_unreadable,
 *   format_unknown: the file as a whole can't be read
 */
export async function* readRecords(source: Source, csv: CsvOptions = {}): AsyncGenerator<ReadRecord> {
  const opened = await openExport(source);
  try {
    if ("rows" in opened) yield* readTable(opened.rows, csv);
    else if (!opened.originalRead) yield* readText(watched(opened.source, csv), csv);
    else {
      for await (const read of readText(watched(opened.source, csv), csv))
        yield { ...read, bytesRead: opened.originalRead() };
    }
  } finally {
    opened.close();
  }
}

function watched(source: Source, { onStep }: CsvOptions): Source {
  return {
    ...source,
    async *read(start) {
      for await (const part of source.read(start)) {
        onStep?.();
        yield part;
      }
    },
  };
}

async function* readText(source: Source, csv: CsvOptions): AsyncGenerator<ReadRecord> {
  const format = await detectFormat(source);
  if (format === "csv") yield* readTable(readRows(source), csv);
  else if (format === "lines") yield* readFromLines(source);
  else yield* readFromDocument(source, format);
}

/**
 * Detects the format of an export by its beginning.
 *
 * @throws BusinessRuleError format_unknown
 */
export async function detectFormat(source: Source): Promise<ExportFormat> {
  const bytes = await readBeginning(source, DETECTION_BYTES);
  const text = bytes
    .toString("utf8")
    .replace(/^\uFEFF/, "")
    .trimStart();
  const format = formatOf(text);
  const isJsonLines = format !== "lines" || text === "" || /^\s*[{[]/m.test(text);
  if (bytes.includes(0) || !isJsonLines) throw unknownFormat(bytes);
  return format;
}

const KNOWN_BEGINNINGS: readonly [beginning: Buffer, name: string][] = [
  [Buffer.from("d0cf11e0", "hex"), "an old Excel workbook (.xls): save it as .xlsx or CSV"],
  [Buffer.from("%PDF"), "a PDF document"],
  [Buffer.from("<"), "XML or HTML"],
  [Buffer.from("fd377a585a00", "hex"), "an xz archive: unpack it first"],
  [Buffer.from("BZh"), "a bzip2 archive: unpack it first"],
  [Buffer.from("377abcaf", "hex"), "a 7-Zip archive: unpack it first"],
];

function unknownFormat(bytes: Buffer): BusinessRuleError {
  const known = KNOWN_BEGINNINGS.find(([beginning]) => bytes.subarray(0, beginning.length).equals(beginning));
  const what = known ? `The file is ${known[1]}.` : "The format of the file is unknown.";
  const accepted =
    "An export is NDJSON, a JSON array, saved responses of GET /api/2.0/patients/, CSV or an Excel workbook (.xlsx)";
  return new BusinessRuleError("format_unknown", `${what} ${accepted}, optionally compressed with gzip or zip.`);
}

function formatOf(text: string): ExportFormat {
  if (text.startsWith("[")) return "array";
  const lines = text.split("\n");
  const [first = ""] = lines;
  if (!text.startsWith("{")) return /[,;\t]/.test(first) && !/[{}]/.test(first) ? "csv" : "lines";
  // If the first line alone isn't JSON, the value spans several lines: a response, or a record.
  if (isJson(first) || first.length === text.length) return "lines";
  if (/^\{\s*"(count|next|previous|results)"\s*:/.test(text)) return "page";
  return /^\{[ \t]*\r?\n\s*"/.test(text) || !lines.some(looksWhole) ? "records" : "lines";
}

/** Returns whether a line could be a whole record. Without any, each line of the file would be rejected. */
function looksWhole(line: string): boolean {
  const text = line.trim();
  return text.startsWith("{") && text.endsWith("}");
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

async function* readFromLines(source: Source): AsyncGenerator<ReadRecord> {
  for await (const { number, bytes, bytesRead } of readLines(source, { maxBytes: recordBytes })) {
    for (const read of readValue(bytes)) yield { number, bytesRead, ...read };
  }
}

async function* readFromDocument(source: Source, form: DocumentForm): AsyncGenerator<ReadRecord> {
  let number = 0;
  for await (const { bytesRead, start, ...part } of splitJson(source, { form, maxBytes: recordBytes })) {
    number++;
    const place = `byte ${start + 1}`;
    if ("broken" in part) yield { number, bytesRead, reason: `is not JSON from here on (${place}): ${part.broken}` };
    else for (const read of readValue(part.bytes)) yield { number, bytesRead, ...read };
  }
}

type Read = { record: RawRecord } | { reason: string };

/** Reads a value as a record, or as a page of records. */
export function readValue(bytes: Uint8Array | null): Read[] {
  if (bytes === null) return [{ reason: `is longer than ${inMib(recordBytes)}` }];
  if (hasTooMany(bytes)) return [{ reason: `has more than ${maxValues} values` }];
  let value: unknown;
  try {
    // The decoder removes a byte order mark.
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return [{ reason: "is not JSON in UTF-8" }];
  }
  if (!isRecord(value)) return [{ reason: "is not a JSON object" }];
  // Saved responses have `results` with several patients.
  if (!Array.isArray(value.results) || "insurances" in value) return [readPatient(value, "", bytes.length)];
  return value.results.map((entry, at) => readPatient(entry, `results[${at}]`, bytes.length));
}

/**
 * Returns whether a value has so many parts that parsing would need far more memory than its text. Doesn't count the
 * parts of small values.
 */
function hasTooMany(bytes: Uint8Array): boolean {
  if (bytes.length <= maxValues) return false;
  let count = 0;
  for (const byte of bytes) if (byte === 44 || byte === 91 || byte === 123) count++;
  return count > maxValues;
}

/** Reads a patient, or returns why it can't be read. All entries of its lists must be records, so that none is skipped. */
function readPatient(value: unknown, place: string, bytes: number): Read {
  if (!isRecord(value)) return { reason: `${place} is not a JSON object` };
  if (isDeeper(value, maxDepth)) return { reason: `is nested deeper than ${maxDepth} levels` };
  const fault =
    faultOfSize(value, bytes) ??
    ["insurances", "deleted_insurances", "insurance_cards"]
      .map((field) => faultOfList(value[field], field))
      .find((found) => found !== null);
  return fault ? { reason: `${place === "" ? "" : `${place}.`}${fault}` } : { record: value };
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((child) => isDeeper(child, levels - 1));
}

/** @param bytes the size of the text that contains the record */
function faultOfSize(value: RawRecord, bytes: number): string | null {
  if (bytes <= detailBytes) return null;
  const { insurance_cards: _cards, ...details } = value;
  if (JSON.stringify(details).length <= detailBytes) return null;
  return `has more than ${inMib(detailBytes)} without its card images`;
}

const MAX_ENTRIES: Record<string, number> = {
  insurances: READING_LIMITS.currentInsurances,
  deleted_insurances: READING_LIMITS.pastInsurances,
};

function faultOfList(list: unknown, field: string): string | null {
  if (list === undefined || list === null) return null;
  if (!Array.isArray(list)) return `${field} is not a list`;
  const limit = MAX_ENTRIES[field];
  if (limit !== undefined && list.length > limit) return `${field} has ${list.length} entries; the limit is ${limit}`;
  const at = list.findIndex((entry) => !isRecord(entry));
  if (at !== -1) return `${field}[${at}] is not a JSON object`;
  if (field !== "insurance_cards") return null;
  return list.map(({ images }, card) => faultOfList(images, `${field}[${card}].images`)).find(Boolean) ?? null;
}

/** An open export: UTF-8 text, or the rows of a workbook. */
export type OpenExport = { close: () => void } & (
  | { source: Source; originalRead?: () => number }
  | { rows: AsyncIterable<TableRow> }
);

const GZIP = Buffer.from("1f8b", "hex");
const ZIP = Buffer.from("504b0304", "hex");
const EMPTY_ZIP = Buffer.from("504b0506", "hex");
const BYTE_ORDER_MARKS = [
  ["utf-16le", Buffer.from("fffe", "hex")],
  ["utf-16be", Buffer.from("feff", "hex")],
] as const;

/**
 * Opens an export and decompresses it if necessary.
 *
 * @throws BusinessRuleError file_unreadable: it can't be decompressed
 */
export async function openExport(source: Source): Promise<OpenExport> {
  const first = await readBeginning(source, 4);
  if (begins(first, ZIP) || begins(first, EMPTY_ZIP)) return openPacked(await openZip(source));
  if (begins(first, GZIP)) return openText(gunzipSource(source), "gzip");
  const encoding = utf16Of(first);
  return encoding ? fromSource(decodeUtf16(source, encoding)) : { source, close: () => {} };
}

async function openPacked(zip: OpenZip): Promise<OpenExport> {
  try {
    if (isWorkbook(zip)) return { rows: readWorkbook(zip), close: zip.close };
    return { ...(await openText(openOnlyFile(zip), "zip")), close: zip.close };
  } catch (error) {
    zip.close();
    throw error;
  }
}

async function openText(source: ChangedSource, packer: string): Promise<OpenExport> {
  const first = await readBeginning(source, 4);
  if (begins(first, ZIP) || begins(first, GZIP)) {
    throw unreadableFile(`The ${packer} file contains another compressed file. Extract that file and upload it.`);
  }
  const encoding = utf16Of(first);
  return fromSource(encoding ? { ...decodeUtf16(source, encoding), originalRead: source.originalRead } : source);
}

const fromSource = (source: ChangedSource): OpenExport => ({
  source,
  originalRead: source.originalRead,
  close: () => {},
});

const begins = (bytes: Buffer, beginning: Buffer) => bytes.subarray(0, beginning.length).equals(beginning);

const utf16Of = (first: Buffer) => BYTE_ORDER_MARKS.find(([, mark]) => begins(first, mark))?.[0];
