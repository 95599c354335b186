import { systemOrigin } from "@/lib/access/identity/access";
import { withAdvisoryLock } from "@/lib/platform/db/advisory-lock";
import { type Tx, transaction } from "@/lib/platform/db/transaction";
import { BusinessRuleError } from "@/lib/platform/errors";
import { type BatchRow, type Load, listKeys, loadBatch, type Rejection, removeRecords } from "./load-batch-commands";
import { type Declarations, type FileRow, planRows, readRow, rowSchema } from "./load-rows";
import type { Resource } from "./schema";

const BATCH_ROWS = 1_000;
const BATCH_BYTES = 8 * 1024 * 1024;
/** The maximum number of rejections in a report. Others are only counted. */
const MAX_REJECTIONS = 100;

export interface LoadRequest {
  resource: Resource;
  /** All resources that rows can refer to. */
  declarations: Declarations;
  /** null for shared records. */
  practiceId: number | null;
  /** Returns the rows from the beginning. It is called again if the transaction is retried. */
  rows: () => AsyncIterable<FileRow>;
  /** The source of the rows: the name of a file. */
  from: string;
  reason?: string | undefined;
  /** Reports what would happen without writing anything. */
  dryRun?: boolean | undefined;
  /** Writes nothing if a row is rejected. */
  allOrNothing?: boolean | undefined;
  /** Deletes records whose key is in no row. */
  removeAbsent?: boolean | undefined;
  onProgress?: ((progress: { bytesRead: number; rows: number }) => void) | undefined;
  /** Stops the load after the current batch. */
  signal?: AbortSignal | undefined;
}

export interface LoadReport {
  read: number;
  created: number;
  updated: number;
  unchanged: number;
  removed: number;
  rejected: number;
  /** The first rejected rows. */
  rejections: Rejection[];
  /** Whether the counted changes were written. */
  written: boolean;
  /** Whether all rows were read, rather than the load being stopped. */
  finished: boolean;
}

/**
 * Loads records of a resource from rows. Records are identified by their keys (`Resource.bulkLoad`): new ones are created, changed
 * ones updated, and the others left unchanged. Invalid rows are rejected by line and field, and the rest are loaded in batches,
 * each in its own transaction. To continue an interrupted load, run the same rows again.
 *
 * @throws BusinessRuleError practice_needed, practice_surplus, or not_loadable if the records belong to other records
 * @throws ConflictError already_running, if another process is loading this resource
 */
export async function loadRecords(request: LoadRequest): Promise<LoadReport> {
  const { resource, practiceId } = request;
  requireTarget(resource, practiceId);
  const taken = `Records of ${resource.name} are being loaded already. Wait for that to end, then run this again.`;
  return withAdvisoryLock({ name: `load ${resource.name}`, taken, waitMs: 3_000 }, () => {
    if (!request.dryRun && !request.allOrNothing) return new Loader(request, transaction).run();
    return loadInOneTransaction(request);
  });
}

function requireTarget({ name, owner, shared }: Resource, practiceId: number | null): void {
  if (typeof owner === "object") {
    throw new BusinessRuleError(
      "not_loadable",
      `Records of ${name} belong to other records and are created with those.`,
    );
  }
  if (owner === "everyone" && practiceId !== null) {
    throw new BusinessRuleError(
      "practice_surplus",
      `All practices share the records of ${name}. Leave out the practice.`,
    );
  }
  if (owner !== "everyone" && !shared && practiceId === null) {
    throw new BusinessRuleError("practice_needed", `Records of ${name} belong to a practice. Say which one.`);
  }
}

/** Rolls back a transaction and keeps its report. */
class Rollback extends Error {
  constructor(readonly report: LoadReport) {
    super("rows were rejected");
  }
}

/** Loads all rows in one transaction. */
async function loadInOneTransaction(request: LoadRequest): Promise<LoadReport> {
  const work = async (tx: Tx) => {
    const report = await new Loader(request, (write) => write(tx)).run();
    if (request.allOrNothing && (report.rejected > 0 || !report.finished)) throw new Rollback(report);
    return report;
  };
  try {
    const report = await transaction(work, { rollback: request.dryRun ?? false });
    return { ...report, written: !request.dryRun };
  } catch (error) {
    if (error instanceof Rollback) return { ...error.report, written: false };
    throw error;
  }
}

type InTransaction = <T>(write: (tx: Tx) => Promise<T>) => Promise<T>;

/** One run over the rows: forms batches, and counts results. */
class Loader {
  readonly #request: LoadRequest;
  readonly #write: InTransaction;
  readonly #load: Load;
  readonly #schema: ReturnType<typeof rowSchema>;
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
    this.#schema = rowSchema(resource, declarations);
    this.#report = {
      read: 0,
      created: 0,
      updated: 0,
      unchanged: 0,
      removed: 0,
      rejected: 0,
      rejections: [],
      written: true,
      finished: true,
    };
  }

  async run(): Promise<LoadReport> {
    const { rows, removeAbsent, signal, onProgress } = this.#request;
    for await (const row of rows()) {
      if (signal?.aborted) break;
      this.#report.read += 1;
      await this.#add(row);
      onProgress?.({ bytesRead: row.bytesRead, rows: this.#report.read });
    }
    if (!signal?.aborted) await this.#flush();
    this.#report.finished = !signal?.aborted;
    const { finished, rejected, read } = this.#report;
    if (removeAbsent && finished && rejected === 0 && read > 0) await this.#removeAbsent();
    this.#report.rejections.sort((a, b) => a.line - b.line);
    return this.#report;
  }

  async #add(row: FileRow): Promise<void> {
    const { resource, practiceId } = this.#load;
    const { line } = row;
    const read = "reason" in row ? row : readRow(resource, this.#schema, { value: row.value, practiceId });
    if ("reason" in read) return this.#reject([{ line, reason: read.reason }]);
    const earlier = this.#rows.get(read.key);
    if (earlier) return this.#reject([{ line, reason: `Describes the same record as line ${earlier.line}.` }]);
    this.#rows.set(read.key, { ...read, line });
    this.#bytes += row.bytes;
    if (this.#rows.size >= BATCH_ROWS || this.#bytes >= BATCH_BYTES) await this.#flush();
  }

  #reject(rejections: readonly Rejection[]): void {
    const report = this.#report;
    report.rejected += rejections.length;
    report.rejections.push(...rejections.slice(0, Math.max(0, MAX_REJECTIONS - report.rejections.length)));
  }

  async #flush(): Promise<void> {
    const rows = [...this.#rows.values()];
    if (rows.length === 0) return;
    const result = await this.#write((tx) => loadBatch(tx, this.#load, rows, (id) => this.#seen.has(id)));
    for (const id of result.ids) this.#seen.add(id);
    for (const what of ["created", "updated", "unchanged"] as const) this.#report[what] += result[what];
    this.#reject(result.rejections);
    this.#rows = new Map();
    this.#bytes = 0;
  }

  /** Deletes the records that no row describes. If a row was rejected, its record is unknown, so nothing is deleted. */
  async #removeAbsent(): Promise<void> {
    // Records that were not loaded have the empty key, unless their field has a value.
    let after = { key: "", id: Number.MAX_SAFE_INTEGER };
    for (let listed = [after]; listed.length > 0; after = listed.at(-1) ?? after) {
      const page = await this.#write(async (tx) => {
        const records = await listKeys(tx, this.#load, { after, limit: BATCH_ROWS });
        const absent = records.flatMap(({ id }) => (this.#seen.has(id) ? [] : [id]));
        if (absent.length > 0) await removeRecords(tx, this.#load, absent);
        return { records, removed: absent.length };
      });
      listed = page.records;
      this.#report.removed += page.removed;
    }
  }
}

const PAGE_BITS = 32_768;

/** A set of IDs with one bit each. The IDs of a file's records are close together, so this takes little memory. */
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
