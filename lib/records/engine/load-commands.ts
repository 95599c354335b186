import { systemOrigin } from "@/lib/access/identity/origin";
import { exclusively } from "@/lib/platform/db/exclusive";
import { type Tx, transaction } from "@/lib/platform/db/transaction";
import { BusinessRuleError } from "@/lib/platform/errors";
import { type BatchRow, type Load, loadBatch, type Refusal, removeRecords } from "./load-batch-commands";
import type { FileRow } from "./load-file";
import { listNamed } from "./load-queries";
import { type Declarations, planRows, readRow, rowSchemaOf } from "./load-rules";
import type { Resource } from "./schema";

const BATCH_ROWS = 1_000;
const BATCH_BYTES = 8 * 1024 * 1024;
/** Of those that were refused; the others are only counted. */
const MOST_REFUSALS = 100;

export interface LoadRequest {
  resource: Resource;
  /** Every resource that rows may refer to. */
  declarations: Declarations;
  /** null for what is everybody's. */
  practiceId: number | null;
  /** The rows from the first on; asked for once more where the database wants a transaction to be run again. */
  rows: () => AsyncIterable<FileRow>;
  /** What the rows are from: a file's name. */
  from: string;
  reason?: string | undefined;
  /** Says what would happen, and writes nothing. */
  dryRun?: boolean | undefined;
  /** Writes nothing where a row is refused. */
  allOrNothing?: boolean | undefined;
  /** Deletes the records that are known by a key no row has. */
  removeAbsent?: boolean | undefined;
  onProgress?: ((progress: { bytesRead: number; rows: number }) => void) | undefined;
  /** Asks to stop after the batch in hand. */
  signal?: AbortSignal | undefined;
}

export interface LoadReport {
  read: number;
  created: number;
  updated: number;
  unchanged: number;
  removed: number;
  refused: number;
  /** The first of those refused. */
  refusals: Refusal[];
  /** Whether what is counted was kept. */
  written: boolean;
  /** false where it was asked to stop before the end. */
  finished: boolean;
}

/**
 * Loads records of any declared resource from rows, by the key each record is known by (`Resource.bulkLoad`): what was loaded
 * before is left alone where the row says the same, and changed where it differs. Rows that can't be taken are refused by
 * line and field, and the others are loaded, in batches of a transaction each; whoever runs the same rows again goes on where
 * a run was cut short, for what is there is unchanged.
 *
 * @throws BusinessRuleError practice_needed, practice_surplus: the records of the resource are only a practice's, or no one's;
 *   not_loadable: they belong to other records
 * @throws ConflictError already_running: another process loads this resource
 */
export async function loadRecords(request: LoadRequest): Promise<LoadReport> {
  const { resource, practiceId } = request;
  requireHome(resource, practiceId);
  const taken = `Records of ${resource.name} are being loaded already. Wait for that to end, then run this again.`;
  return exclusively({ name: `load ${resource.name}`, taken, waitMs: 3_000 }, () => {
    if (!request.dryRun && !request.allOrNothing) return new Loader(request, transaction).run();
    return loadAtOnce(request);
  });
}

function requireHome({ name, owner, shared }: Resource, practiceId: number | null): void {
  if (typeof owner === "object") {
    throw new BusinessRuleError(
      "not_loadable",
      `Records of ${name} belong to other records: they are made with those.`,
    );
  }
  if (owner === "everyone" && practiceId !== null) {
    throw new BusinessRuleError("practice_surplus", `Records of ${name} are everybody's, of no practice.`);
  }
  if (owner !== "everyone" && !shared && practiceId === null) {
    throw new BusinessRuleError("practice_needed", `Records of ${name} are a practice's: say whose.`);
  }
}

/** Undoes what was written, and says what it came to. */
class Undo extends Error {
  constructor(readonly report: LoadReport) {
    super("rows were refused");
  }
}

/** One transaction for all: kept as a whole, or not at all. */
async function loadAtOnce(request: LoadRequest): Promise<LoadReport> {
  const work = async (tx: Tx) => {
    const report = await new Loader(request, (write) => write(tx)).run();
    if (request.allOrNothing && (report.refused > 0 || !report.finished)) throw new Undo(report);
    return report;
  };
  try {
    const report = await transaction(work, { rollback: request.dryRun ?? false });
    return { ...report, written: !request.dryRun };
  } catch (error) {
    if (error instanceof Undo) return { ...error.report, written: false };
    throw error;
  }
}

type InTransaction = <T>(write: (tx: Tx) => Promise<T>) => Promise<T>;

/** One run over the rows: gathers batches, and counts. */
class Loader {
  readonly #request: LoadRequest;
  readonly #write: InTransaction;
  readonly #load: Load;
  readonly #schema: ReturnType<typeof rowSchemaOf>;
  readonly #seen = new IdSet();
  readonly #report: LoadReport;
  #rows = new Map<string, BatchRow>();
  #bytes = 0;

  constructor(request: LoadRequest, write: InTransaction) {
    const { resource, declarations, practiceId, from, reason } = request;
    const why = `Loaded from ${from}${reason ? `: ${reason}` : ""}`;
    const origin = systemOrigin({ name: "Record loader", source: "migration", operation: "records.load", reason: why });
    this.#request = request;
    this.#write = write;
    this.#load = { resource, declarations, plan: planRows(resource), practiceId, origin };
    this.#schema = rowSchemaOf(resource, declarations);
    this.#report = {
      ...{ read: 0, created: 0, updated: 0, unchanged: 0, removed: 0, refused: 0 },
      ...{ refusals: [], written: true, finished: true },
    };
  }

  async run(): Promise<LoadReport> {
    const { rows, removeAbsent, signal, onProgress } = this.#request;
    for await (const row of rows()) {
      if (signal?.aborted) break;
      this.#report.read += 1;
      await this.#take(row);
      onProgress?.({ bytesRead: row.bytesRead, rows: this.#report.read });
    }
    if (!signal?.aborted) await this.#flush();
    this.#report.finished = !signal?.aborted;
    const { finished, refused, read } = this.#report;
    if (removeAbsent && finished && refused === 0 && read > 0) await this.#removeAbsent();
    this.#report.refusals.sort((a, b) => a.line - b.line);
    return this.#report;
  }

  async #take(row: FileRow): Promise<void> {
    const { resource, practiceId } = this.#load;
    const { line } = row;
    const read = "reason" in row ? row : readRow(resource, this.#schema, { value: row.value, practiceId });
    if ("reason" in read) return this.#refuse([{ line, reason: read.reason }]);
    const twin = this.#rows.get(read.key);
    if (twin) return this.#refuse([{ line, reason: `Is of the same record as line ${twin.line}.` }]);
    this.#rows.set(read.key, { ...read, line });
    this.#bytes += row.bytes;
    if (this.#rows.size >= BATCH_ROWS || this.#bytes >= BATCH_BYTES) await this.#flush();
  }

  #refuse(refusals: readonly Refusal[]): void {
    const report = this.#report;
    report.refused += refusals.length;
    report.refusals.push(...refusals.slice(0, Math.max(0, MOST_REFUSALS - report.refusals.length)));
  }

  async #flush(): Promise<void> {
    const rows = [...this.#rows.values()];
    if (rows.length === 0) return;
    const result = await this.#write((tx) => loadBatch(tx, this.#load, rows, (id) => this.#seen.has(id)));
    for (const id of result.ids) this.#seen.add(id);
    for (const what of ["created", "updated", "unchanged"] as const) this.#report[what] += result[what];
    this.#refuse(result.refusals);
    this.#rows = new Map();
    this.#bytes = 0;
  }

  /** A row that was refused may have been of a record that is there: only where all were taken it is known who is absent. */
  async #removeAbsent(): Promise<void> {
    // What was never loaded, and has nothing in the field others are known by, has the empty key.
    let after = { key: "", id: Number.MAX_SAFE_INTEGER };
    for (let named = [after]; named.length > 0; after = named.at(-1) ?? after) {
      const page = await this.#write(async (tx) => {
        const listed = await listNamed(tx, this.#load, { after, limit: BATCH_ROWS });
        const absent = listed.flatMap(({ id }) => (this.#seen.has(id) ? [] : [id]));
        if (absent.length > 0) await removeRecords(tx, this.#load, absent);
        return { listed, removed: absent.length };
      });
      named = page.listed;
      this.#report.removed += page.removed;
    }
  }
}

const PAGE_BITS = 32_768;

/** Ids of records, a bit each: those of a file that was loaded at once stand close together, however many they are. */
class IdSet {
  readonly #pages = new Map<number, Uint8Array>();

  has(id: number): boolean {
    const at = id % PAGE_BITS;
    return ((this.#pages.get(Math.floor(id / PAGE_BITS))?.[at >> 3] ?? 0) & (1 << (at & 7))) !== 0;
  }

  add(id: number): void {
    const number = Math.floor(id / PAGE_BITS);
    const page = this.#pages.get(number) ?? new Uint8Array(PAGE_BITS / 8);
    this.#pages.set(number, page);
    const at = id % PAGE_BITS;
    page[at >> 3] = (page[at >> 3] ?? 0) | (1 << (at & 7));
  }
}
