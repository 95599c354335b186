import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { type Duplex, pipeline } from "node:stream";
import { pick } from "stream-json/filters/pick.js";
import { streamArray } from "stream-json/streamers/stream-array.js";
import type { Columns } from "../rules/columns";
import type { RawRecord } from "../rules/raw-record";
import { readCsv } from "./read-csv";
import { readLines } from "./read-lines";

/** A record of a legacy export, or why there is none at this place. */
export type ReadRecord = { number: number; bytesRead: number } & ({ record: RawRecord } | { reason: string });

/**
 * `lines`: one record, or one page, a line. `array`: one JSON array. `page`: one answer of `GET patients`, over many lines.
 * `csv`: one insurance a row, below a row of headings.
 */
export type ExportFormat = "lines" | "array" | "page" | "csv";

const MAX_LINE_BYTES = 64 * 1024 * 1024;
const LOOKED_AT_BYTES = 64 * 1024;
const CHUNK_BYTES = 1024 * 1024;

/**
 * The records of a legacy export, one at a time, whatever its form: NDJSON, a JSON array, or the answers of
 * `GET /api/2.0/patients/` as a client saved them, one a line or a single one over many lines, or CSV. Numbers are those of the
 * lines where records stand one a line, and count the records elsewhere.
 *
 * @param columns what the columns of a CSV file are; guessed where left out
 */
export async function* readRecords(file: string, columns?: Columns): AsyncGenerator<ReadRecord> {
  const format = await detectFormat(file);
  if (format === "lines") yield* readFromLines(file);
  else if (format === "csv") yield* readCsv(file, columns);
  else yield* readFromDocument(file, format);
}

/** Tells the form of an export by how it begins. */
export async function detectFormat(file: string): Promise<ExportFormat> {
  const handle = await open(file);
  try {
    const buffer = Buffer.alloc(LOOKED_AT_BYTES);
    const { bytesRead } = await handle.read(buffer, 0, LOOKED_AT_BYTES, 0);
    const text = buffer
      .toString("utf8", 0, bytesRead)
      .replace(/^\uFEFF/, "")
      .trimStart();
    if (text.startsWith("[")) return "array";
    if (!text.startsWith("{") && /^[^\n{}]*[,;\t][^\n{}]*\r?(\n|$)/.test(text)) return "csv";
    // A page over many lines: its first line alone is no JSON, and it begins as an answer does.
    const [first = ""] = text.split("\n");
    return isJson(first) || !/^\{\s*"(count|next|previous|results)"\s*:/.test(text) || first.length === text.length
      ? "lines"
      : "page";
  } finally {
    await handle.close();
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

async function* readFromLines(file: string): AsyncGenerator<ReadRecord> {
  for await (const { number, bytes, bytesRead } of readLines(file, { maxBytes: MAX_LINE_BYTES })) {
    const parsed = parseLine(bytes);
    if (typeof parsed === "string") yield { number, bytesRead, reason: parsed };
    else for (const record of recordsOfPage(parsed)) yield { number, bytesRead, record };
  }
}

function parseLine(bytes: Uint8Array | null): RawRecord | string {
  if (bytes === null) return `longer than ${MAX_LINE_BYTES / 1024 ** 2} MiB`;
  try {
    // A byte order mark is taken off by the decoder.
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return isRecord(value) ? value : "is not a JSON object";
  } catch {
    return "is not JSON in UTF-8";
  }
}

/** A saved answer holds many patients; a patient holds no `results`. */
function recordsOfPage(value: RawRecord): RawRecord[] {
  return Array.isArray(value.results) && !("insurances" in value) ? value.results.filter(isRecord) : [value];
}

async function* readFromDocument(file: string, format: "array" | "page"): AsyncGenerator<ReadRecord> {
  const source = createReadStream(file, { highWaterMark: CHUNK_BYTES });
  const records = recordStream(format);
  let number = 0;
  try {
    for await (const { value } of through(source, records) as AsyncIterable<{ value: unknown }>) {
      number++;
      const place = { number, bytesRead: source.bytesRead };
      yield isRecord(value) ? { ...place, record: value } : { ...place, reason: "is not a JSON object" };
    }
  } catch (error) {
    const reason = `is not JSON from here on: ${(error as Error).message}`;
    yield { number: number + 1, bytesRead: source.bytesRead, reason };
  } finally {
    source.destroy();
  }
}

function recordStream(format: "array" | "page"): Duplex[] {
  if (format === "array") return [streamArray.withParserAsStream()];
  return [pick.withParserAsStream({ filter: "results" }), streamArray.asStream()];
}

/** The last of these streams, fed by the others; an error of any of them ends it. */
function through(source: NodeJS.ReadableStream, stages: readonly Duplex[]): Duplex {
  const last = stages.at(-1) as Duplex;
  pipeline([source, ...stages], (error) => error && last.destroy(error));
  return last;
}

function isRecord(value: unknown): value is RawRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
