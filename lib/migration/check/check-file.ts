import type { Finding } from "@/lib/migration/findings/checks";
import { type ExamineContext, examineRecord } from "@/lib/migration/findings/examine-record";
import type { CsvOptions } from "@/lib/migration/read/read-csv";
import { readRecords } from "@/lib/migration/read/read-records";
import { findImageProblem } from "@/lib/migration/read/stage-records";
import type { Columns } from "@/lib/migration/record/columns";
import {
  ambiguousIds,
  CompanyDirectory,
  companiesByName,
  type KnownCompany,
  linkedCompany,
} from "@/lib/migration/record/mapping";
import {
  extractImages,
  type ImageReading,
  personHash,
  type RawRecord,
  recordKey,
  recordsOf,
} from "@/lib/migration/record/record";
import { clock } from "@/lib/platform/clock";
import type { Source } from "@/lib/platform/files/source";

export interface CheckRequest {
  source: Source;
  companies: readonly KnownCompany[];
  /** `YYYY-MM-DD` */
  asOf: string;
  /** The field of each column of a CSV file; detected if omitted. */
  columns?: Columns | undefined;
  /** Called once if the file is CSV. */
  onColumns?: CsvOptions["onColumns"];
  /** Called with each record. `bytesRead` goes up to twice the size of the file, because it is read twice. */
  onProgress?: (progress: { bytesRead: number; records: number }) => void;
}

/** A line that can't be read at all. */
export interface UnreadableLine {
  /** The line, or the record's place in an array. */
  line: number;
  reason: string;
}

/** The findings in a record, or why the record can't be read. */
export type CheckedRecord =
  | {
      line: number;
      patient: RawRecord;
      findings: Finding[];
      /** The number of current insurances that the conversion links to a payer by the carrier's name. */
      links: number;
    }
  | UnreadableLine;

/**
 * Checks the records of a legacy export in the order of the file. Needs no server and no database. Reads the file twice,
 * because a duplicate insurance ID is reported on each of its insurances.
 *
 * @throws BusinessRuleError columns_unknown: the headings of a CSV file don't determine its columns
 */
export async function* checkFile(request: CheckRequest): AsyncGenerator<CheckedRecord> {
  const { source, companies, asOf, columns, onColumns, onProgress } = request;
  let records = 0;
  const scan = new FileScan();
  for await (const read of readRecords(source, { columns, onColumns })) {
    if (!("reason" in read)) scan.note(read.record);
    onProgress?.({ bytesRead: read.bytesRead, records });
  }
  const listed = companies.map(({ id, carrier }) => ({ externalId: id, id: null, carrier }));
  const known = companies.flatMap(({ id, carrier }) => (id === null ? [] : [{ id, carrier }]));
  const context = {
    asOf,
    now: clock.now(),
    companies: companiesByName(companies),
    directory: new CompanyDirectory(
      known.map(({ id }) => [id, null] as const),
      { named: listed, ambiguous: ambiguousIds(known) },
    ),
    imageProblem: async ({ problem }: RawRecord) => (typeof problem === "string" ? problem : null),
  };
  for await (const read of readRecords(source, { columns })) {
    const { number: line, bytesRead } = read;
    records++;
    if ("reason" in read) yield { line, reason: read.reason };
    else {
      const record = await extractImages(read.record, readImage, new Map());
      const neighbors = scan.visit(read.record, line);
      const { findings, patient } = await examineRecord(record, line, {
        ...context,
        ...neighbors,
        faults: read.faults,
      });
      const links = patient?.insurances.filter((entry) => linkedCompany(entry, context.directory)).length ?? 0;
      yield { line, patient: read.record, findings, links };
    }
    onProgress?.({ bytesRead: source.size + bytesRead, records });
  }
}

/** Checks whether an image can be read, and drops its bytes. */
async function readImage(base64: unknown): Promise<ImageReading> {
  const problem = await findImageProblem(base64);
  return { bytes: problem === null ? new Uint8Array() : null, problem };
}

type Neighbors = Pick<ExamineContext, "reusedIds" | "repeats" | "isOnEarlierRecord" | "isKnownPerson">;

/**
 * Finds IDs and people that several records of a file share. The first pass collects repeated insurance IDs, and the
 * second looks them up in file order. Runs use the database instead.
 */
export class FileScan {
  readonly #current = new Set<string>();
  readonly #reused = new Set<string>();
  readonly #seen = new Set<string>();
  readonly #repeated = new Set<string>();
  readonly #visited = new Set<string>();
  readonly #patients = new Map<string, number>();
  readonly #people = new Set<string>();

  /** Collects the IDs of a record in the first pass. */
  note(record: RawRecord): void {
    for (const id of idsIn(record.insurances)) {
      if (!isNew(this.#current, id)) this.#reused.add(id);
      if (!isNew(this.#seen, id)) this.#repeated.add(id);
    }
    for (const id of idsIn(record.deleted_insurances)) if (!isNew(this.#seen, id)) this.#repeated.add(id);
  }

  /** Returns what a record shares with other records, in the second pass. */
  visit(record: RawRecord, line: number): Neighbors {
    const key = recordKey(record);
    const repeats = this.#patients.get(key) ?? null;
    if (key !== "" && repeats === null) this.#patients.set(key, line);
    const ids = [...idsIn(record.insurances), ...idsIn(record.deleted_insurances)].filter((id) =>
      this.#repeated.has(id),
    );
    const earlier = new Set(ids.filter((id) => this.#visited.has(id)));
    for (const id of ids) this.#visited.add(id);
    const isKnown = !isNew(this.#people, personHash(record) ?? "");
    return {
      reusedIds: this.#reused,
      repeats,
      isOnEarlierRecord: (id) => earlier.has(id),
      isKnownPerson: () => isKnown,
    };
  }
}

const idsIn = (list: unknown) =>
  recordsOf(list)
    .map(recordKey)
    .filter((id) => id !== "");

/** Adds a value and returns whether it is new. */
function isNew<T>(seen: Set<T>, value: T): boolean {
  const before = seen.size;
  return seen.add(value).size > before;
}
