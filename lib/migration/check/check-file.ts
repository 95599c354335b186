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
import { personHash, type RawRecord, recordKey, recordsOf } from "@/lib/migration/record/raw-record";
import { extractImages, type ImageReading } from "@/lib/migration/record/stage-record";
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
  const { source, companies, asOf, columns, onProgress } = request;
  const scan = new FileScan(await findShared(request));
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
  let records = 0;
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

/** What several records of a file share. */
interface Shared {
  /** IDs that several current insurances have. */
  reusedIds: ReadonlySet<string>;
  /** IDs that several insurances have, current or past. */
  insuranceIds: ReadonlySet<Key>;
  patientIds: ReadonlySet<Key>;
  /** May include a person with a single record, because different people can have the same short hash. */
  people: ReadonlySet<number>;
}

/** Reads the file and finds what records share. The sets of all IDs exist only in this pass, because they are large. */
async function findShared({ source, columns, onColumns, onProgress }: CheckRequest): Promise<Shared> {
  const [current, past, patients] = [new Repeats<Key>(), new Repeats<Key>(), new Repeats<Key>()];
  const people = new Repeats<number>();
  for await (const read of readRecords(source, { columns, onColumns })) {
    if (!("reason" in read)) {
      const { record } = read;
      for (const id of idsIn(record.insurances)) current.add(toKey(id));
      for (const id of idsIn(record.deleted_insurances)) past.add(toKey(id));
      patients.add(toKey(recordKey(record)));
      const person = personHash(record);
      if (person !== null) people.add(shortHash(person));
    }
    onProgress?.({ bytesRead: read.bytesRead, records: 0 });
  }
  return {
    reusedIds: new Set([...current.values].map(String)),
    insuranceIds: new Set([...current.values, ...past.values, ...current.sharedWith(past)]),
    patientIds: patients.values,
    people: people.values,
  };
}

/** Collects the values that are added more than once. */
class Repeats<T> {
  readonly #all = new Set<T>();
  readonly values = new Set<T>();

  add(value: T): void {
    if (!isNew(this.#all, value)) this.values.add(value);
  }

  /** Returns the values that were added to both. */
  *sharedWith(other: Repeats<T>): Iterable<T> {
    for (const value of other.#all) if (this.#all.has(value)) yield value;
  }
}

type Neighbors = Pick<ExamineContext, "reusedIds" | "repeats" | "isOnEarlierRecord" | "isKnownPerson">;

/** Finds earlier records with the same IDs and people, in file order. Runs use the database instead. */
class FileScan {
  readonly #shared: Shared;
  readonly #visited = new Set<string>();
  readonly #patients = new Map<string, number>();
  readonly #people = new Set<string>();

  constructor(shared: Shared) {
    this.#shared = shared;
  }

  /** Returns what a record shares with the records before it. */
  visit(record: RawRecord, line: number): Neighbors {
    const ids = [...idsIn(record.insurances), ...idsIn(record.deleted_insurances)].filter((id) =>
      this.#shared.insuranceIds.has(toKey(id)),
    );
    const earlier = new Set(ids.filter((id) => this.#visited.has(id)));
    for (const id of ids) this.#visited.add(id);
    const isKnown = this.#isKnownPerson(record);
    return {
      reusedIds: this.#shared.reusedIds,
      repeats: this.#findEarlierLine(record, line),
      isOnEarlierRecord: (id) => earlier.has(id),
      isKnownPerson: () => isKnown,
    };
  }

  #findEarlierLine(record: RawRecord, line: number): number | null {
    const id = recordKey(record);
    if (id === "" || !this.#shared.patientIds.has(toKey(id))) return null;
    const earlier = this.#patients.get(id) ?? null;
    if (earlier === null) this.#patients.set(id, line);
    return earlier;
  }

  #isKnownPerson(record: RawRecord): boolean {
    const person = personHash(record);
    return person !== null && this.#shared.people.has(shortHash(person)) && !isNew(this.#people, person);
  }
}

/** An ID in the form that takes the least memory: numbers below 2³¹ take none outside a set. */
type Key = number | string;

const toKey = (id: string): Key => (/^[1-9]\d{0,14}$/.test(id) ? Number(id) : id);

/** Returns 32 bits of a hash, which take no memory outside a set either. */
const shortHash = (hash: string) => Number.parseInt(hash.slice(0, 8), 16) | 0;

const idsIn = (list: unknown) =>
  recordsOf(list)
    .map(recordKey)
    .filter((id) => id !== "");

/** Adds a value and returns whether it is new. */
function isNew<T>(seen: Set<T>, value: T): boolean {
  const before = seen.size;
  return seen.add(value).size > before;
}
