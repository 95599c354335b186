import type { Access } from "@/lib/access/identity/access";
import { getPracticeTimezone } from "@/lib/access/tenancy/organizations";
import { type Cursor, selectPage } from "@/lib/platform/db/page";
import type { Row } from "@/lib/platform/db/rows";
import { db, inList, join, type Sql, sql } from "@/lib/platform/db/sql";
import { BusinessRuleError } from "@/lib/platform/errors";
import { processWide } from "@/lib/platform/objects";
import { type Verification, verifyAudit } from "./chain-queries";
import type { AuditFilter, AuditQuery } from "./schema";

const PAGE_SIZE = 50;
/** Number of patients that an entry lists. */
const MAX_PATIENTS = 20;
/** More rows than this slow spreadsheets down. */
const MAX_EXPORTED = 100_000;

/** An entry as staff see it. */
export interface AuditView extends Omit<Row<"audit_pending">, "practice_id"> {
  /** Its place in the practice's chain. Null until it is sealed, usually within a second. */
  seq: Row<"audit_entry">["seq"] | null;
  /** Number of patients. `patients` lists only the first ones. */
  patient_count: number;
  /** Its position in the list, for `after` and `before`. */
  key: string;
}

export interface AuditPage {
  results: AuditView[];
  has_newer: boolean;
  has_older: boolean;
}

/** Selects the last entries of the caller's own reads and changes, newest first: `operation`, `patients` and `occurred_date`. */
export function selectOwnEntries({ actor, practices }: Access, limit: number): Sql {
  // With a limit per table, PostgreSQL reads only the first entries of each index. For the view of both tables, it may plan a full scan.
  const last = (table: Sql) => sql`
    (SELECT operation, patients, occurred_date FROM ${table}
    WHERE ${inList(sql`practice_id`, practices)} AND actor_type = ${actor.type}::actor_type AND actor_id = ${actor.id}
    ORDER BY occurred_date DESC, id DESC LIMIT ${limit})`;
  return sql`${last(sql`audit_entry`)} UNION ALL ${last(sql`audit_pending`)} ORDER BY occurred_date DESC LIMIT ${limit}`;
}

/** Returns a page of a practice's entries, newest first. Keyset pages cost the same anywhere in the list. */
export async function listAuditEntries(access: Access, practiceId: number, query: AuditQuery): Promise<AuditPage> {
  const { rows, hasNext, hasPrevious } = await selectPage<Omit<AuditView, "key">>(db, {
    columns: sql`${FIELDS}, to_json(e.patients[1:${MAX_PATIENTS}]) AS patients`,
    from: sql`audit_log e`,
    where: await conditions(access, practiceId, query),
    id: sql`e.id`,
    orderings: { time: sql`e.occurred_date` },
    page: { limit: PAGE_SIZE, order: "-time", cursor: cursorOf(query) },
  });
  const results = rows.map(({ page_key: _key, ...row }) => ({ ...row, key: `${row.occurred_date}~${row.id}` }));
  return { results, has_newer: hasPrevious, has_older: hasNext };
}

/**
 * Lists all matching entries, newest first.
 *
 * @throws BusinessRuleError too_many if there are more than fit into a file
 */
export async function exportAuditEntries(
  access: Access,
  practiceId: number,
  filter: AuditFilter,
): Promise<Omit<AuditView, "key">[]> {
  const where = await conditions(access, practiceId, filter);
  const rows = await db.rows<Omit<AuditView, "key">>(sql`
    SELECT ${FIELDS}, to_json(e.patients) AS patients FROM audit_log e WHERE ${where}
    ORDER BY e.occurred_date DESC, e.id DESC LIMIT ${MAX_EXPORTED + 1}`);
  if (rows.length <= MAX_EXPORTED) return rows;
  throw new BusinessRuleError(
    "too_many",
    `More than ${MAX_EXPORTED} entries match these filters. Choose a shorter period and download the rest separately.`,
  );
}

/** SQL, because keyset pages share it with the export. */
const FIELDS = sql`e.id, e.seq, e.occurred_date, e.actor_type, e.actor_id, e.actor_name, e.kind, e.operation, e.path,
  coalesce(cardinality(e.patients), 0) AS patient_count, e.source, e.address, e.reason, e.request_id,
  e.detail`;

async function conditions(access: Access, practiceId: number, filter: AuditFilter): Promise<Sql> {
  const timezone = await getPracticeTimezone(access, practiceId);
  const { actor, patient, kind, since, until } = filter;
  const all = [inList(sql`e.practice_id`, [practiceId])];
  if (actor !== undefined) all.push(actorCondition(actor));
  if (patient !== undefined) all.push(sql`e.patients @> ARRAY[${patient}::bigint]`);
  // A constant, because PostgreSQL can't use the partial index of security events with a parameter.
  if (kind === "security") all.push(sql`e.kind = 'security'`);
  else if (kind !== undefined) all.push(sql`e.kind = ${kind}`);
  if (since !== undefined) all.push(sql`e.occurred_date >= (${since}::date::timestamp AT TIME ZONE ${timezone})`);
  if (until !== undefined) all.push(sql`e.occurred_date < ((${until}::date + 1)::timestamp AT TIME ZONE ${timezone})`);
  return join(all, " AND ");
}

function actorCondition(actor: string): Sql {
  const [type, id] = actor.split("-");
  const who = id === undefined ? sql`e.actor_id IS NULL` : sql`e.actor_id = ${Number(id)}`;
  return sql`e.actor_type = ${type} AND ${who}`;
}

function cursorOf({ after, before }: AuditQuery): Cursor | undefined {
  const [value, id] = (after ?? before ?? "").split("~");
  if (!value || !id) return undefined;
  return { direction: after ? "after" : "before", order: "-time", value, id: Number(id) };
}

/** An actor in a practice's audit, with the name in its latest entry. */
export interface AuditActor extends Row<"audit_entry", "actor_type" | "actor_id"> {
  name: Row<"audit_entry">["actor_name"];
}

/** Lists the actors in a practice's audit with one index look-up for each, independent of the number of sealed entries. */
export async function listAuditActors(access: Access, practiceId: number): Promise<AuditActor[]> {
  await getPracticeTimezone(access, practiceId);
  return db.rows<AuditActor>(sql`
    WITH RECURSIVE known(actor_type, actor_id) AS (
      SELECT t.name, (SELECT min(e.actor_id) FROM audit_entry e WHERE e.practice_id = ${practiceId} AND e.actor_type = t.name)
      FROM (VALUES ('client'::actor_type), ('staff')) AS t(name)
      UNION ALL
      SELECT k.actor_type, (SELECT min(e.actor_id) FROM audit_entry e
        WHERE e.practice_id = ${practiceId} AND e.actor_type = k.actor_type AND e.actor_id > k.actor_id)
      FROM known k WHERE k.actor_id IS NOT NULL),
    sealed AS (
      SELECT k.actor_type, k.actor_id, (SELECT e.actor_name FROM audit_entry e
        WHERE e.practice_id = ${practiceId} AND e.actor_type = k.actor_type AND e.actor_id = k.actor_id
        ORDER BY e.occurred_date DESC, e.id DESC LIMIT 1) AS name
      FROM known k WHERE k.actor_id IS NOT NULL),
    pending AS MATERIALIZED (
      SELECT DISTINCT ON (actor_type, actor_id) actor_type, actor_id, actor_name AS name FROM audit_pending
      WHERE practice_id = ${practiceId} ORDER BY actor_type, actor_id, occurred_date DESC, id DESC)
    SELECT actor_type, actor_id, coalesce(p.name, s.name) AS name
    FROM sealed s FULL JOIN (SELECT * FROM pending WHERE actor_id IS NOT NULL) p USING (actor_type, actor_id)
    UNION ALL
    SELECT t.name, NULL, t.title FROM (VALUES ('system'::actor_type, 'System'), ('link', 'Signed link'), ('anonymous', 'Not signed in')) AS t(name, title)
    WHERE EXISTS (SELECT FROM audit_entry e WHERE e.practice_id = ${practiceId} AND e.actor_type = t.name)
      OR EXISTS (SELECT FROM pending p WHERE p.actor_type = t.name)
    ORDER BY 1 DESC, 3, 2`);
}

/** Returns the number of a practice's entries, without those that retention removed. Does not verify the chain. */
export async function countAuditEntries(access: Access, practiceId: number): Promise<number> {
  await getPracticeTimezone(access, practiceId);
  const { count } = await db.one<{ count: number }>(sql`
    SELECT coalesce(last.last_seq - first.first_seq + 1, 0)
      + (SELECT count(*) FROM audit_pending WHERE practice_id = ${practiceId}) AS count
    FROM (VALUES (0)) AS always(one)
      LEFT JOIN LATERAL (SELECT first_seq FROM audit_block WHERE practice_id = ${practiceId} ORDER BY number LIMIT 1) first ON TRUE
      LEFT JOIN LATERAL (
        SELECT last_seq FROM audit_block WHERE practice_id = ${practiceId} ORDER BY number DESC LIMIT 1) last ON TRUE`);
  return count;
}

/** Verifies a practice's chain. Concurrent calls share one verification. */
export async function checkChain(access: Access, practiceId: number): Promise<Verification> {
  await getPracticeTimezone(access, practiceId);
  const checks = processWide("crosswalkChainChecks", () => new Map<number, Promise<Verification>>());
  const running = checks.get(practiceId) ?? verifyAudit([], practiceId).finally(() => void checks.delete(practiceId));
  checks.set(practiceId, running);
  return running;
}
