import { isRecord, type RawRecord } from "../rules/raw-record";
import { type CsvOptions, readCsv } from "./read-csv";
import { readLines } from "./read-lines";
import { beginningOf, type Source } from "./source";
import { type DocumentForm, splitJson } from "./split-json";

/** A record of a legacy export, or why there is none at this place. */
export type ReadRecord = { number: number; bytesRead: number } & ({ record: RawRecord } | { reason: string });

/**
 * `lines`: one record, or one page, a line. `array`: one JSON array. `page`: one answer of `GET patients`, over many lines.
 * `records`: records over many lines. `csv`: one insurance a row, below a row of headings.
 */
export type ExportFormat = DocumentForm | "lines" | "csv";

const MAX_RECORD_BYTES = 64 * 1024 * 1024;
const LOOKED_AT_BYTES = 64 * 1024;

/**
 * The records of a legacy export, one at a time, whatever its form: NDJSON, a JSON array, or the answers of
 * `GET /api/2.0/patients/` as a client saved them, one a line or a single one over many lines, or CSV. Numbers are those of the
 * lines where records stand one a line, and count the records elsewhere.
 *
 * @throws BusinessRuleError columns_unknown: a CSV file whose headings do not tell what its columns are
 */
export async function* readRecords(source: Source, csv: CsvOptions = {}): AsyncGenerator<ReadRecord> {
  const format = await detectFormat(source);
  if (format === "csv") yield* readCsv(source, csv);
  else if (format === "lines") yield* readFromLines(source);
  else yield* readFromDocument(source, format);
}

/** The form of an export, by how it begins. */
export async function detectFormat(source: Source): Promise<ExportFormat> {
  const text = (await beginningOf(source, LOOKED_AT_BYTES)).toString("utf8");
  return formatOf(text.replace(/^\uFEFF/, "").trimStart());
}

/** The form of a file that begins with this text. */
function formatOf(text: string): ExportFormat {
  if (text.startsWith("[")) return "array";
  if (!text.startsWith("{")) return /^[^\n{}]*[,;\t][^\n{}]*\r?(\n|$)/.test(text) ? "csv" : "lines";
  // Over many lines: the first line alone is no JSON, and it begins as an answer does, or ends within the record.
  const [first = ""] = text.split("\n");
  if (isJson(first) || first.length === text.length) return "lines";
  if (/^\{\s*"(count|next|previous|results)"\s*:/.test(text)) return "page";
  return /^\{[ \t]*\r?\n\s*"/.test(text) ? "records" : "lines";
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
  for await (const { number, bytes, bytesRead } of readLines(source, { maxBytes: MAX_RECORD_BYTES })) {
    for (const read of readValue(bytes)) yield { number, bytesRead, ...read };
  }
}

async function* readFromDocument(source: Source, form: DocumentForm): AsyncGenerator<ReadRecord> {
  let number = 0;
  for await (const { bytesRead, ...part } of splitJson(source, { form, maxBytes: MAX_RECORD_BYTES })) {
    number++;
    if ("broken" in part) yield { number, bytesRead, reason: `is not JSON from here on: ${part.broken}` };
    else for (const read of readValue(part.bytes)) yield { number, bytesRead, ...read };
  }
}

type Read = { record: RawRecord } | { reason: string };

/** The records of one value: itself, or those of the page it is. */
function readValue(bytes: Uint8Array | null): Read[] {
  if (bytes === null) return [{ reason: `longer than ${MAX_RECORD_BYTES / 1024 ** 2} MiB` }];
  let value: unknown;
  try {
    // A byte order mark is taken off by the decoder.
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return [{ reason: "is not JSON in UTF-8" }];
  }
  if (!isRecord(value)) return [{ reason: "is not a JSON object" }];
  // A saved answer holds many patients; a patient holds no `results`.
  if (!Array.isArray(value.results) || "insurances" in value) return [readPatient(value, "")];
  return value.results.map((entry, at) => readPatient(entry, `results[${at}]`));
}

/** A patient whose lists are lists of records: nothing in it would be passed over. */
function readPatient(value: unknown, place: string): Read {
  if (!isRecord(value)) return { reason: `${place} is not a JSON object` };
  if (isDeeper(value, MAX_DEPTH)) return { reason: `is nested deeper than ${MAX_DEPTH} levels` };
  const fault = ["insurances", "deleted_insurances", "insurance_cards"]
    .map((field) => faultOfList(value[field], field))
    .find((found) => found !== null);
  return fault ? { reason: `${place === "" ? "" : `${place}.`}${fault}` } : { record: value };
}

/** No record of ours is as deep; one without end would break whatever looks into it, and the database keeps none. */
const MAX_DEPTH = 100;

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((child) => isDeeper(child, levels - 1));
}

function faultOfList(list: unknown, field: string): string | null {
  if (list === undefined || list === null) return null;
  if (!Array.isArray(list)) return `${field} is no list`;
  const at = list.findIndex((entry) => !isRecord(entry));
  if (at !== -1) return `${field}[${at}] is not a JSON object`;
  if (field !== "insurance_cards") return null;
  return list.map(({ images }, card) => faultOfList(images, `${field}[${card}].images`)).find(Boolean) ?? null;
}
