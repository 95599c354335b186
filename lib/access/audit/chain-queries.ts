import { createHash } from "node:crypto";
import type { Row } from "@/lib/platform/db/rows";
import { db, sql } from "@/lib/platform/db/sql";

const ENTRIES_AT_ONCE = 2_000;
const BLOCKS_AT_ONCE = 500;

/** A block of a chain. Stored elsewhere, it proves later that no entry up to its last one was rewritten. */
export interface Anchor {
  /** 0 for the chain of the installation. */
  practice: number;
  block: number;
  /** The number of its last entry. */
  seq: number;
  /** hexadecimal */
  hash: string;
}

/** The first broken link of a practice's chain. */
export interface BrokenLink {
  practice: number;
  seq: number;
  problem: string;
}

/** Committed entries that are not part of a chain yet. */
export interface Unsealed {
  practice: number;
  entries: number;
  /** Time of the oldest of them, ISO 8601. */
  since: string;
}

/** The start of a chain, which retention removed. Verification begins after its last block. */
export interface Removed {
  practice: number;
  /** The number of the last removed entry. */
  seq: number;
  /** All of them were sealed before this time, ISO 8601. */
  before: string;
}

export interface Verification {
  /** Number of valid entries. */
  entries: number;
  /** The last block of each intact chain. */
  heads: Anchor[];
  broken: BrokenLink[];
  unsealed: Unsealed[];
  removed: Removed[];
}

type Block = Omit<Row<"audit_block">, "id">;
type Problem = Omit<BrokenLink, "practice">;

/** The stored end of a chain. */
interface ChainEnd {
  practice: number;
  blocks: number;
  /** Number of the last entry. */
  last: number;
  /** The last block that retention removed, or null if the chain is complete. */
  removal: Row<"audit_removal", "number" | "last_seq" | "hash" | "sealed_before"> | null;
}

/**
 * Verifies the chains of all practices and of the installation, up to their last blocks at the start. Entries that are not sealed
 * yet are counted.
 *
 * @param anchors blocks that were stored elsewhere
 * @param only the only practice to verify
 */
export async function verifyAudit(anchors: readonly Anchor[] = [], only?: number): Promise<Verification> {
  const wanted = anchors.filter(({ practice }) => only === undefined || practice === only);
  const byPractice = groupBy(wanted, ({ practice }) => practice);
  const ends = await listChainEnds(only);
  const result: Verification = { entries: 0, heads: [], broken: [], unsealed: await listUnsealed(only), removed: [] };
  for (const end of ends) {
    const { practice, removal } = end;
    const { head, problem } = await verifyChain(end, byPractice.get(practice) ?? []);
    result.entries += head.seq - (removal?.last_seq ?? 0);
    if (removal) result.removed.push({ practice, seq: removal.last_seq, before: removal.sealed_before });
    if (problem) result.broken.push({ practice, ...problem });
    else result.heads.push({ practice, block: head.number, seq: head.seq, hash: head.hash.toString("hex") });
    byPractice.delete(practice);
  }
  for (const [practice, [first]] of byPractice) {
    result.broken.push({ practice, seq: first?.seq ?? 0, problem: "the whole chain is missing" });
  }
  return result;
}

/** Finds chains by index look-ups, of which each skips to the next practice. */
async function listChainEnds(only?: number): Promise<ChainEnd[]> {
  const ends = await db.rows<Omit<ChainEnd, "removal">>(sql`
    WITH RECURSIVE entered(practice_id) AS (
      SELECT min(practice_id) FROM audit_entry
      UNION ALL
      SELECT (SELECT min(practice_id) FROM audit_entry WHERE practice_id > entered.practice_id)
      FROM entered WHERE practice_id IS NOT NULL),
    linked(practice_id) AS (
      SELECT min(practice_id) FROM audit_block
      UNION ALL
      SELECT (SELECT min(practice_id) FROM audit_block WHERE practice_id > linked.practice_id)
      FROM linked WHERE practice_id IS NOT NULL)
    SELECT practice_id AS practice,
      (SELECT coalesce(max(number), 0) FROM audit_block b WHERE b.practice_id = c.practice_id) AS blocks,
      (SELECT coalesce(max(seq), 0) FROM audit_entry e WHERE e.practice_id = c.practice_id) AS last
    FROM (SELECT practice_id FROM entered UNION SELECT practice_id FROM linked UNION SELECT practice_id FROM audit_removal) c
    WHERE practice_id IS NOT NULL AND (${only ?? null}::bigint IS NULL OR practice_id = ${only ?? null})
    ORDER BY practice_id`);
  const removals = await listRemovals();
  return ends.map((end) => ({ ...end, removal: removals.get(end.practice) ?? null }));
}

/** Reads the last removal of each chain. */
async function listRemovals() {
  const rows = await db.rows<Omit<Row<"audit_removal">, "removed_date">>(sql`
    SELECT DISTINCT ON (practice_id) practice_id, number, last_seq, hash, sealed_before FROM audit_removal
    ORDER BY practice_id, number DESC`);
  return new Map(rows.map((row) => [row.practice_id, row]));
}

/** Lists the practices with entries that are not sealed yet, or only this one. */
export async function listUnsealed(only?: number): Promise<Unsealed[]> {
  return db.rows<Unsealed>(sql`
    SELECT practice_id AS practice, count(*) AS entries, min(occurred_date) AS since FROM audit_pending
    WHERE ${only ?? null}::bigint IS NULL OR practice_id = ${only ?? null} GROUP BY practice_id ORDER BY practice_id`);
}

/** The last valid block of a chain, or what comes before its first. */
interface Head {
  number: number;
  seq: number;
  hash: Buffer;
}

async function verifyChain(
  end: ChainEnd,
  anchors: readonly Anchor[],
): Promise<{ head: Head; problem: Problem | null }> {
  const { practice, blocks, removal } = end;
  const anchored = groupBy(anchors, ({ block }) => block);
  const entries = new EntryReader(practice);
  let head: Head = { number: 0, seq: 0, hash: Buffer.alloc(0) };
  if (removal) {
    head = { number: removal.number, seq: removal.last_seq, hash: removal.hash };
    const problem = anchorProblem({ ...removal, first_seq: head.seq + 1 }, anchored.get(head.number) ?? []);
    if (problem) return { head, problem };
  }
  for await (const block of listBlocks(practice, head.number, blocks)) {
    const problem =
      linkProblem(block, head) ??
      (await contentProblem(block, entries)) ??
      anchorProblem(block, anchored.get(head.number + 1) ?? []);
    // The entries of the block that come before the problem are valid.
    if (problem) return { head: { ...head, seq: Math.max(head.seq, problem.seq - 1) }, problem };
    head = { number: block.number, seq: block.last_seq, hash: block.hash };
  }
  return { head, problem: endProblem(end, head, anchors) };
}

async function* listBlocks(practice: number, start: number, end: number): AsyncGenerator<Block> {
  for (let after = start; after < end; ) {
    const blocks = await db.rows<Block>(sql`
      SELECT practice_id, number, first_seq, last_seq, prev_hash, hash, sealed_date FROM audit_block
      WHERE practice_id = ${practice} AND number > ${after} AND number <= ${end} ORDER BY number LIMIT ${BLOCKS_AT_ONCE}`);
    yield* blocks;
    after = blocks.at(-1)?.number ?? end;
  }
}

/** Reads the entries of a chain in their order, many at once, because most blocks are small. */
class EntryReader {
  readonly #practice: number;
  #read: AuditEntry[] = [];
  #at = 0;
  #end = 0;

  constructor(practice: number) {
    this.#practice = practice;
  }

  /** Returns the entry with the number after `seq` or a later one, or null after the last. */
  async next(seq: number): Promise<AuditEntry | null> {
    if (this.#at === this.#read.length && seq >= this.#end) {
      this.#read = await listEntries(this.#practice, seq);
      this.#at = 0;
      this.#end = this.#read.at(-1)?.seq ?? Number.POSITIVE_INFINITY;
    }
    return this.#read[this.#at++] ?? null;
  }
}

async function listEntries(practice: number, after: number): Promise<AuditEntry[]> {
  return db.rows<AuditEntry>(sql`
    SELECT practice_id, seq, id, occurred_date, actor_type, actor_id, actor_name, kind, operation, path,
      to_json(patients) AS patients, source, address, reason, request_id, detail::text AS detail, hash, sealed_date
    FROM audit_entry WHERE practice_id = ${practice} AND seq > ${after} ORDER BY seq LIMIT ${ENTRIES_AT_ONCE}`);
}

function linkProblem(block: Block, head: Head): Problem | null {
  const seq = head.seq + 1;
  if (block.number !== head.number + 1) return { seq, problem: `block ${head.number + 1} is missing` };
  if (!block.prev_hash?.equals(head.hash))
    return { seq, problem: `block ${block.number} does not refer to the previous block` };
  const isNext = block.first_seq === seq && block.last_seq >= seq;
  return isNext ? null : { seq, problem: `block ${block.number} does not start at this entry` };
}

async function contentProblem(block: Block, entries: EntryReader): Promise<Problem | null> {
  const hashes: Buffer[] = [];
  for (let seq = block.first_seq; seq <= block.last_seq; seq++) {
    const entry = await entries.next(seq - 1);
    if (entry?.seq !== seq) return { seq, problem: `entry ${seq} is missing` };
    const hash = hashEntry(entry);
    if (!entry.hash?.equals(hash)) return { seq, problem: "its content does not match its hash" };
    if (entry.sealed_date !== block.sealed_date) return { seq, problem: "its block was sealed at another time" };
    hashes.push(hash);
  }
  if (block.hash?.equals(hashBlock(block, hashes))) return null;
  const { number, first_seq: first, last_seq: last } = block;
  return { seq: first, problem: `block ${number}, entries ${first} to ${last}, does not match its hash` };
}

function anchorProblem(
  block: Pick<Block, "number" | "first_seq" | "last_seq" | "hash">,
  anchors: readonly Anchor[],
): Problem | null {
  const hash = block.hash.toString("hex");
  const isSame = anchors.every((anchor) => anchor.hash === hash && anchor.seq === block.last_seq);
  return isSame ? null : { seq: block.first_seq, problem: `block ${block.number} was rewritten after it was anchored` };
}

function endProblem({ last }: ChainEnd, head: Head, anchors: readonly Anchor[]): Problem | null {
  const seq = head.seq + 1;
  const cut = anchors.find((anchor) => anchor.block > head.number);
  if (cut) return { seq, problem: `entries up to ${cut.seq}, of which block ${cut.block} was anchored, are missing` };
  return last > head.seq ? { seq, problem: "it belongs to no block" } : null;
}

/** A stored entry. Times are ISO 8601 in UTC with milliseconds. Patients and hash are only null if the table was altered. */
export interface AuditEntry extends Omit<Row<"audit_entry">, "patients" | "detail" | "hash"> {
  patients: number[] | null;
  /** JSON as PostgreSQL writes it. Null unless the entry is a security event. */
  detail: string | null;
  hash: Buffer | null;
}

/**
 * Computes the hash of an entry: SHA-256 of its fields, each after its length in bytes. `seal_audit` computes it in the database.
 * Computing it here again also reveals a changed function.
 */
export function hashEntry(entry: AuditEntry): Buffer {
  const fields = [
    ...[entry.practice_id, entry.seq, entry.id, entry.occurred_date],
    ...[entry.actor_type, entry.actor_id, entry.actor_name, entry.kind, entry.operation, entry.path],
    ...[entry.patients?.join(",") ?? null, entry.source, entry.address, entry.reason, entry.request_id],
    // The hash of an entry without detail doesn't include the field.
    ...(entry.detail === null ? [] : [entry.detail]),
  ];
  return createHash("sha256").update(fields.map(toField).join("")).digest();
}

/** Computes the hash of a block: SHA-256 of the previous block's hash, its own fields and the hashes of its entries in their order. */
export function hashBlock(block: Block, entries: readonly Buffer[]): Buffer {
  const {
    prev_hash: previous,
    practice_id: practice,
    number,
    first_seq: first,
    last_seq: last,
    sealed_date: date,
  } = block;
  const hash = createHash("sha256").update(
    [previous.toString("hex"), practice, number, first, last, date].map(toField).join(""),
  );
  for (const entry of entries) hash.update(entry);
  return hash.digest();
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => number): Map<number, T[]> {
  const groups = new Map<number, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}

function toField(value: string | number | null): string {
  return value === null ? "-" : `${Buffer.byteLength(String(value))}:${value}`;
}
