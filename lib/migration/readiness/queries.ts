import type { DeprecationMode } from "@/generated/rows/enums";
import type { Access } from "@/lib/access/identity/access";
import { staffNameOf } from "@/lib/access/staff/member-queries";
import { READINESS_PART } from "@/lib/migration/runs/queries";
import { countRun } from "@/lib/migration/runs/run-counts";
import { findReplacement } from "@/lib/migration/what-if/recorded-calls";
import { kysely } from "@/lib/platform/db/kysely";
import type { Row } from "@/lib/platform/db/rows";
import { type Db, db, inList, sql } from "@/lib/platform/db/sql";
import { listLegacyUse } from "@/lib/practice/practices/legacy-usage";
import { getPractice, getPracticeRules } from "@/lib/practice/practices/queries";

/** Records by what they still need. The parts add up to all records. */
export type ReadinessParts = Row<"migration_day", "verified" | "convertible" | "person" | "refused">;

/** The readiness on a day, `YYYY-MM-DD`. */
export type ReadinessDay = ReadinessParts & Row<"migration_day", "day">;

/** A client that still uses legacy insurances, and the calls that replace them. */
export interface LegacyCaller {
  client_id: number;
  name: string;
  endpoint: string;
  /** Last day it was seen, `YYYY-MM-DD`. */
  last: string;
  reads: number;
  writes: number;
  replacement: string;
}

export const SIGN_OFF_COLUMNS = ["id", "decision", "reason", "figures", "actor", "signed_date"] as const;
/** A signed decision to cut over or not. */
export type SignOff = Row<"migration_sign_off", (typeof SIGN_OFF_COLUMNS)[number]>;
/** Number of sign-offs that readiness shows. */
export const SHOWN_SIGN_OFFS = 50;

/** The figure that all pages call readiness: how many records of the practice's current run are converted and verified (ADR 0217). */
export interface ReadinessMeasure {
  /** The run that the figures come from. */
  run: Row<"migration_run", "id" | "source_name" | "state" | "changed_date"> | null;
  records: number;
  parts: ReadinessParts;
  /** Percentage of records that are verified, rounded down so that 100 means all. */
  percent: number;
}

/** How ready a practice is for the deadline. */
export interface Readiness extends ReadinessMeasure {
  practice: number;
  practice_name: string;
  days: ReadinessDay[];
  deadline: { date: string; mode: DeprecationMode; today: string; rehearsal: string | null };
  callers: LegacyCaller[];
  sign_offs: SignOff[];
}

const USE_DAYS = 30;
const DAY_MS = 86_400_000;

/** Measures the readiness of a practice. The caller checks the access. */
export async function measureReadiness(practiceId: number): Promise<ReadinessMeasure> {
  const run = await findCurrentRun(practiceId);
  const parts = run ? (await countRun(run.id)).totals.readiness : NO_RECORDS;
  return { run, records: countParts(parts), parts, percent: toPercent(parts) };
}

export const NO_RECORDS: ReadinessParts = { verified: 0, convertible: 0, person: 0, refused: 0 };

const countParts = ({ verified, convertible, person, refused }: ReadinessParts) =>
  verified + convertible + person + refused;

/** Returns the current readiness of a practice, and its history by day. */
export async function getReadiness(access: Access, practiceId: number): Promise<Readiness> {
  const since = new Date(Date.now() - USE_DAYS * DAY_MS).toISOString().slice(0, 10);
  const [rules, practice, measure, days, uses, signOffs] = await Promise.all([
    getPracticeRules(db, practiceId),
    getPractice(access, practiceId),
    measureReadiness(practiceId),
    db.rows(
      kysely
        .selectFrom("migration_day")
        .select(["day", "verified", "convertible", "person", "refused"])
        .where("practice_id", "=", practiceId)
        .orderBy("day"),
    ),
    listLegacyUse(access, since),
    db.rows(
      kysely
        .selectFrom("migration_sign_off")
        .select(SIGN_OFF_COLUMNS)
        .where("practice_id", "=", practiceId)
        .orderBy("id", "desc")
        .limit(SHOWN_SIGN_OFFS),
    ),
  ]);
  return {
    practice: practiceId,
    practice_name: practice.name,
    ...measure,
    days,
    deadline: {
      date: rules.deprecationDate,
      mode: rules.deprecationMode,
      today: new Date().toISOString().slice(0, 10),
      rehearsal: rules.isRehearsing ? rules.now.toISOString().slice(0, 10) : null,
    },
    callers: toCallers(uses),
    sign_offs: signOffs,
  };
}

/** A record that is not verified yet, and why. */
export type UnreadyRecord = Row<"migration_record", "number" | "line"> & {
  patient: string | null;
  name: string | null;
  part: Exclude<keyof ReadinessParts, "verified">;
  /** Codes of the blocking findings. */
  codes: string[];
  /** Why it was skipped, if staff gave a reason. */
  reason: string | null;
  owner: string | null;
  due_date: string | null;
};

const UNREADY = ["refused", "person", "convertible"] as const;

/** Lists records that were skipped or need staff, then those still to be converted and verified. */
export async function listUnready(
  access: Access,
  runId: number,
  { limit, parts = UNREADY }: { limit: number; parts?: readonly string[] },
): Promise<UnreadyRecord[]> {
  const { readiness } = (await countRun(runId)).totals;
  const found: UnreadyRecord[] = [];
  // One query per part, ordered by number, stops at the limit instead of sorting all records.
  for (const part of UNREADY) {
    if (!parts.includes(part) || readiness[part] === 0 || found.length >= limit) continue;
    found.push(...(await listPart(access, runId, { part, limit: limit - found.length })));
  }
  return found;
}

async function listPart(
  access: Access,
  runId: number,
  { part, limit }: { part: UnreadyRecord["part"]; limit: number },
): Promise<UnreadyRecord[]> {
  return db.rows<UnreadyRecord>(sql`
    SELECT r.number, r.line, r.external_id AS patient,
      nullif(trim(both ', ' FROM concat_ws(', ', r.raw->>'last_name', r.raw->>'first_name')), '') AS name,
      ${READINESS_PART} AS part,
      (SELECT coalesce(json_agg(DISTINCT f.code), '[]') FROM migration_finding f
       WHERE f.run_id = r.run_id AND f.number = r.number AND f.severity = 'error' AND f.decision <> 'accepted') AS codes,
      (SELECT min(f.reason) FROM migration_finding f
       WHERE f.run_id = r.run_id AND f.number = r.number AND f.decision = 'skipped') AS reason,
      (SELECT min(${staffNameOf(sql`f.owner_id`)}) FROM migration_finding f
       WHERE f.run_id = r.run_id AND f.number = r.number AND f.owner_id IS NOT NULL) AS owner,
      (SELECT min(f.due_date) FROM migration_finding f
       WHERE f.run_id = r.run_id AND f.number = r.number AND f.decision = 'open') AS due_date
    FROM migration_record r JOIN migration_run m ON m.id = r.run_id
    WHERE r.run_id = ${runId} AND ${inList(sql`m.practice_id`, access.practices)} AND ${READINESS_PART} = ${part}
    ORDER BY r.number LIMIT ${limit}`);
}

/** Returns the percentage of records that are verified, rounded down. */
export function toPercent(parts: ReadinessParts): number {
  const all = countParts(parts);
  return all === 0 ? 0 : Math.floor((parts.verified * 100) / all);
}

/** Finds the run that readiness is based on: the latest that was read and not cancelled or rolled back. */
export async function findCurrentRun(practiceId: number, read: Db = db): Promise<Readiness["run"]> {
  return read.first(
    kysely
      .selectFrom("migration_run")
      .select(["id", "source_name", "state", "changed_date"])
      .where("practice_id", "=", practiceId)
      .where("state", "not in", ["uploading", "reading", "cancelled", "rolled_back"])
      .orderBy("id", "desc")
      .limit(1),
  );
}

function toCallers(uses: Awaited<ReturnType<typeof listLegacyUse>>): LegacyCaller[] {
  const callers = new Map<string, LegacyCaller>();
  for (const { client_id, client_name: name, endpoint, day, reads, writes } of uses) {
    const key = `${client_id} ${endpoint}`;
    const before = callers.get(key);
    callers.set(key, {
      client_id,
      name,
      endpoint,
      last: before && before.last > day ? before.last : day,
      reads: (before?.reads ?? 0) + reads,
      writes: (before?.writes ?? 0) + writes,
      replacement: findReplacement(endpoint),
    });
  }
  return [...callers.values()].sort((a, b) => b.writes - a.writes || b.reads - a.reads);
}
