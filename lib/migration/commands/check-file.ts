import { ValidationError } from "@/lib/errors";
import { decodeBase64, isDecodable } from "@/lib/storage/process-image";
import { checkPatient } from "../rules/check-patient";
import type { Finding } from "../rules/checks";
import type { Columns } from "../rules/columns";
import type { KnownCompanies, KnownCompany } from "../rules/fixes";
import { idOf, isBlank, type RawRecord, recordsOf, textOf } from "../rules/raw-record";
import { personOf } from "../rules/staged-record";
import type { CsvOptions } from "./read-csv";
import { readRecords } from "./read-records";
import type { Source } from "./source";

export interface CheckRequest {
  source: Source;
  companies: readonly KnownCompany[];
  /** `YYYY-MM-DD` */
  asOf: string;
  /** What the columns of a CSV file are; guessed where left out. */
  columns?: Columns | undefined;
  /** Told once, where the file is CSV. */
  onColumns?: CsvOptions["onColumns"];
  /** `bytesRead` of twice the file. */
  onProgress?: (progress: { bytesRead: number; records: number }) => void;
}

/** A line that can't be read at all. */
export interface UnreadableLine {
  /** The line, or the record's place in an array. */
  line: number;
  reason: string;
}

/** What was found in one record, or why it could not be read. */
export type CheckedRecord = { line: number; patient: RawRecord; findings: Finding[] } | UnreadableLine;

/**
 * Checks a legacy export record by record, in the order of the file: the conversion checks, without a server or a database.
 * The file is read twice, for an insurance id that is used again is reported on each of its insurances.
 *
 * @throws BusinessRuleError columns_unknown: a CSV file whose headings do not tell what its columns are
 */
export async function* checkFile(request: CheckRequest): AsyncGenerator<CheckedRecord> {
  const { source, companies, asOf, columns, onColumns, onProgress } = request;
  let records = 0;
  const reusedIds = await findReusedIds({ source, columns, onColumns }, (bytesRead) =>
    onProgress?.({ bytesRead, records }),
  );
  const people = new Set<string>();
  const context = {
    asOf,
    reusedIds,
    companies: companiesByName(companies),
    isKnownPerson: (patient: RawRecord) => !isNew(people, personOf(patient) ?? ""),
    imageProblem: ({ base64_content }: RawRecord) => problemOfImage(base64_content),
  };
  for await (const read of readRecords(source, { columns })) {
    const { number: line, bytesRead } = read;
    records++;
    yield "reason" in read
      ? { line, reason: read.reason }
      : { line, patient: read.record, findings: await checkPatient(read.record, line, context) };
    onProgress?.({ bytesRead: source.size + bytesRead, records });
  }
}

async function findReusedIds(
  { source, ...csv }: Pick<CheckRequest, "source" | "columns" | "onColumns">,
  onRead: (bytesRead: number) => void,
): Promise<Set<string>> {
  const seen = new Set<string>();
  const reused = new Set<string>();
  for await (const read of readRecords(source, csv)) {
    onRead(read.bytesRead);
    for (const insurance of "reason" in read ? [] : recordsOf(read.record.insurances)) {
      const id = textOf(idOf(insurance));
      if (id !== "" && !isNew(seen, id)) reused.add(id);
    }
  }
  return reused;
}

/** Adds a value; whether it was not there before. */
function isNew<T>(seen: Set<T>, value: T): boolean {
  const before = seen.size;
  return seen.add(value).size > before;
}

/** Companies by their names; those of one name stay together. */
export function companiesByName(companies: readonly KnownCompany[]): KnownCompanies {
  const named = new Map<string, KnownCompany[]>();
  for (const company of companies) {
    const name = company.carrier.trim().toLowerCase();
    named.set(name, [...(named.get(name) ?? []), company]);
  }
  return named;
}

const NO_IMAGE = "an image is no PNG or JPEG in base64.";

/** Why a text is no image of ours in base64; null where it is one. */
export async function problemOfImage(base64: unknown): Promise<string | null> {
  if (typeof base64 !== "string" || isBlank(base64)) return NO_IMAGE;
  try {
    return (await isDecodable(decodeBase64(base64, "base64_content"))) ? null : NO_IMAGE;
  } catch (error) {
    if (!(error instanceof ValidationError)) return "an image is larger than 10 MiB.";
    return JSON.stringify(error.fields).includes("megapixels") ? "an image has more than 40 megapixels." : NO_IMAGE;
  }
}
