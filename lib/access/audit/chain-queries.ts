import { createHash } from "node:crypto";
import type { Row } from "@/lib/platform/db/rows";
import { db, sql } from "@/lib/platform/db/sql";

const BATCH_SIZE = 2_000;

/** The last link of a chain. Stored elsewhere, it proves later that no entry up to it was rewritten. */
export interface ChainHead {
  /** 0 for the chain of the installation. */
  practice: number;
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

export interface Verification {
  entries: number;
  heads: ChainHead[];
  broken: BrokenLink[];
}

/** The stored end of a chain. The hash is null if the chain has entries but no row. */
type ChainEnd = Row<"audit_chain", "seq"> & {
  practice: Row<"audit_chain">["practice_id"];
  hash: Row<"audit_chain">["hash"] | null;
  /** Sequence number of the last entry. */
  last: number;
};

/**
 * Verifies the chains of all practices and of the installation, up to their last entries at the start.
 *
 * @param anchors heads of earlier verifications
 * @param only the only practice to verify
 */
export async function verifyAudit(anchors: readonly ChainHead[] = [], only?: number): Promise<Verification> {
  const chosen = only === undefined ? sql`practice_id IS NOT NULL` : sql`practice_id = ${only}`;
  const chains = await db.rows<ChainEnd>(sql`
    WITH RECURSIVE written(practice_id) AS (
      SELECT min(practice_id) FROM audit_entry
      UNION ALL
      SELECT (SELECT min(e.practice_id) FROM audit_entry e WHERE e.practice_id > written.practice_id)
      FROM written WHERE written.practice_id IS NOT NULL)
    SELECT practice_id AS practice, coalesce(c.seq, 0) AS seq, c.hash,
      (SELECT coalesce(max(e.seq), 0) FROM audit_entry e WHERE e.practice_id = p.practice_id) AS last
    FROM (SELECT practice_id FROM audit_chain UNION SELECT practice_id FROM written) p LEFT JOIN audit_chain c USING (practice_id)
    WHERE ${chosen} ORDER BY practice_id`);
  const result: Verification = { entries: 0, heads: [], broken: [] };
  for (const chain of chains) {
    const { practice, seq } = chain;
    const noted = anchors.filter((anchor) => anchor.practice === practice);
    const { last, problem } = await verifyChain(practice, Math.min(seq, chain.last), noted);
    result.entries += last.seq;
    const broken = problem ?? endProblem(chain, last.hash) ?? cutProblem(seq, noted);
    if (broken) result.broken.push({ practice, ...broken });
    else result.heads.push({ practice, seq, hash: last.hash.toString("hex") });
  }
  const known = new Set(chains.map(({ practice }) => practice));
  for (const { practice, seq } of anchors) {
    if (!known.has(practice)) result.broken.push({ practice, seq, problem: "the whole chain is missing" });
  }
  return result;
}

type Problem = Omit<BrokenLink, "practice">;

async function verifyChain(
  practice: number,
  end: number,
  anchors: readonly ChainHead[],
): Promise<{ last: { seq: number; hash: Buffer }; problem: Problem | null }> {
  const last: { seq: number; hash: Buffer } = { seq: 0, hash: Buffer.alloc(0) };
  while (last.seq < end) {
    const entries = await db.rows<AuditEntry>(sql`
      SELECT practice_id, seq, occurred_date, actor_type, actor_id, actor_name, kind, operation, path,
        to_json(patients) AS patients, source, address, reason, request_id, detail::text AS detail, prev_hash,
        hash
      FROM audit_entry WHERE practice_id = ${practice} AND seq > ${last.seq} AND seq <= ${end}
      ORDER BY seq LIMIT ${BATCH_SIZE}`);
    if (entries.length === 0)
      return { last, problem: { seq: last.seq + 1, problem: `entries up to ${end} are missing` } };
    for (const entry of entries) {
      const expected = { seq: last.seq + 1, previous: last.hash };
      const problem = entryProblem(entry, expected) ?? anchorProblem(entry, anchors);
      if (problem) return { last, problem: { seq: expected.seq, problem } };
      last.seq = entry.seq;
      last.hash = entry.hash ?? last.hash;
    }
  }
  return { last, problem: null };
}

/** Returns what is wrong with an entry, or null. */
export function entryProblem(entry: AuditEntry, expected: { seq: number; previous: Buffer }): string | null {
  if (entry.seq !== expected.seq) return `entry ${expected.seq} is missing`;
  if (!entry.prev_hash?.equals(expected.previous)) return "it does not refer to the previous entry";
  return entry.hash?.equals(hashOf(entry, expected.previous)) ? null : "its content does not match its hash";
}

function anchorProblem({ seq, hash }: AuditEntry, anchors: readonly ChainHead[]): string | null {
  const differs = anchors.some((anchor) => anchor.seq === seq && anchor.hash !== hash?.toString("hex"));
  return differs ? "the chain was rewritten after an earlier verification" : null;
}

function cutProblem(end: number, anchors: readonly ChainHead[]): Problem | null {
  const beyond = anchors.find((anchor) => anchor.seq > end);
  return beyond
    ? { seq: end + 1, problem: `entries up to ${beyond.seq}, which an earlier verification saw, are missing` }
    : null;
}

function endProblem(chain: ChainEnd, hash: Buffer): Problem | null {
  if (chain.last < chain.seq) return { seq: chain.last + 1, problem: `entries up to ${chain.seq} are missing` };
  if (chain.last > chain.seq)
    return { seq: chain.seq + 1, problem: "the stored end of the chain is before this entry" };
  if (!chain.hash?.equals(hash)) return { seq: chain.seq, problem: "the stored end of the chain has another hash" };
  return null;
}

/** A stored entry. Times are ISO 8601 in UTC with milliseconds. Patients and hashes are only null if the table was altered. */
export interface AuditEntry extends Omit<Row<"audit_entry">, "patients" | "detail" | "prev_hash" | "hash"> {
  patients: number[] | null;
  /** JSON as PostgreSQL writes it. Null unless the entry is a security event. */
  detail: string | null;
  prev_hash: Buffer | null;
  hash: Buffer | null;
}

/**
 * Computes the hash of an entry from the previous hash: SHA-256 of its fields, each after its length in bytes. The trigger
 * `audit_entry_chain` computes it in the database. Computing it here again also reveals a changed trigger.
 */
export function hashOf(entry: AuditEntry, previous: Buffer): Buffer {
  const fields = [
    previous.toString("hex"),
    ...[entry.practice_id, entry.seq, entry.occurred_date],
    ...[entry.actor_type, entry.actor_id, entry.actor_name, entry.kind, entry.operation, entry.path],
    ...[entry.patients?.join(",") ?? null, entry.source, entry.address, entry.reason, entry.request_id],
    // The hash of an entry without detail doesn't include the field.
    ...(entry.detail === null ? [] : [entry.detail]),
  ];
  return createHash("sha256").update(fields.map(toField).join("")).digest();
}

function toField(value: string | number | null): string {
  return value === null ? "-" : `${Buffer.byteLength(String(value))}:${value}`;
}
