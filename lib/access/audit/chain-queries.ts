import { createHash } from "node:crypto";
import type { Row } from "@/lib/platform/db/rows";
import { db, sql } from "@/lib/platform/db/sql";

const ENTRIES_AT_ONCE = 2_000;

/** The last link of a chain. Kept elsewhere, it proves later that nothing up to it was written anew. */
export interface ChainHead {
  /** 0: the installation's chain. */
  practice: number;
  seq: number;
  /** hexadecimal */
  hash: string;
}

/** The first link of a practice's chain that does not hold. */
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

interface ChainRow extends Row<"audit_chain", "seq"> {
  practice: number;
  /** Null if the chain's row is missing. */
  hash: Buffer | null;
  /** The last entry's sequence number. */
  last: number;
}

/**
 * Verifies the chain of every practice and of the installation, from its first entry to the last one there was when it began (design §9).
 *
 * @param anchors heads noted by earlier verifications
 * @param only the one practice to verify; left out, all
 */
export async function verifyAudit(anchors: readonly ChainHead[] = [], only?: number): Promise<Verification> {
  const chosen = only === undefined ? sql`practice_id IS NOT NULL` : sql`practice_id = ${only}`;
  const chains = await db.rows<ChainRow>(sql`
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
    const own = anchors.filter((anchor) => anchor.practice === practice);
    const { last, problem } = await followChain(practice, Math.min(seq, chain.last), own);
    result.entries += last.seq;
    const broken = problem ?? endProblem(chain, last.hash) ?? cutProblem(seq, own);
    if (broken) result.broken.push({ practice, ...broken });
    else result.heads.push({ practice, seq, hash: last.hash.toString("hex") });
  }
  const known = new Set(chains.map(({ practice }) => practice));
  for (const { practice, seq } of anchors) {
    if (!known.has(practice)) result.broken.push({ practice, seq, problem: "its whole chain is missing" });
  }
  return result;
}

type Problem = Omit<BrokenLink, "practice">;

async function followChain(
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
      ORDER BY seq LIMIT ${ENTRIES_AT_ONCE}`);
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

/** What is wrong with an entry at this place after `previous`, or null. */
export function entryProblem(entry: AuditEntry, expected: { seq: number; previous: Buffer }): string | null {
  if (entry.seq !== expected.seq) return `entry ${expected.seq} is missing`;
  if (!entry.prev_hash?.equals(expected.previous)) return "it does not follow the entry before it";
  return entry.hash?.equals(hashOf(entry, expected.previous)) ? null : "its content is not what was written";
}

function anchorProblem({ seq, hash }: AuditEntry, anchors: readonly ChainHead[]): string | null {
  const differs = anchors.some((anchor) => anchor.seq === seq && anchor.hash !== hash?.toString("hex"));
  return differs ? "the chain up to it was written anew since it was noted" : null;
}

function cutProblem(end: number, anchors: readonly ChainHead[]): Problem | null {
  const beyond = anchors.find((anchor) => anchor.seq > end);
  return beyond ? { seq: end + 1, problem: `entries up to ${beyond.seq}, which were noted, are missing` } : null;
}

function endProblem(chain: { seq: number; hash: Buffer | null; last: number }, hash: Buffer): Problem | null {
  if (chain.last < chain.seq) return { seq: chain.last + 1, problem: `entries up to ${chain.seq} are missing` };
  if (chain.last > chain.seq) return { seq: chain.seq + 1, problem: "the end of the chain was set back before it" };
  if (!chain.hash?.equals(hash)) return { seq: chain.seq, problem: "the end of the chain names another entry" };
  return null;
}

/** An entry as stored (design §9). Ids are integers, times ISO 8601 UTC with milliseconds. Patients and hashes are null only where somebody altered the table. */
export interface AuditEntry extends Omit<Row<"audit_entry">, "patients" | "detail" | "prev_hash" | "hash"> {
  patients: number[] | null;
  /** Of a security event: JSON as PostgreSQL writes it. */
  detail: string | null;
  prev_hash: Buffer | null;
  hash: Buffer | null;
}

/**
 * The hash an entry must have after an entry with `previous`: SHA-256 over its fields, each with its length in bytes before
 * it. The trigger `audit_entry_chain` makes it in the database; this is the same rule once more, so that a changed trigger
 * is found too.
 */
export function hashOf(entry: AuditEntry, previous: Buffer): Buffer {
  const fields = [
    previous.toString("hex"),
    ...[entry.practice_id, entry.seq, entry.occurred_date],
    ...[entry.actor_type, entry.actor_id, entry.actor_name, entry.kind, entry.operation, entry.path],
    ...[entry.patients?.join(",") ?? null, entry.source, entry.address, entry.reason, entry.request_id],
    // Entries from before there were security events have no detail, and their hashes know of none.
    ...(entry.detail === null ? [] : [entry.detail]),
  ];
  return createHash("sha256").update(fields.map(toField).join("")).digest();
}

function toField(value: string | number | null): string {
  return value === null ? "-" : `${Buffer.byteLength(String(value))}:${value}`;
}
