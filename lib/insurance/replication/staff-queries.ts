import type { Access } from "@/lib/access/identity/access";
import type { Origin } from "@/lib/access/identity/origin";
import type {
  ChangeKind,
  Direction,
  PatientChange,
  PolicyChange,
} from "@/lib/insurance/patient-write/replication-payload";
import { clock } from "@/lib/platform/clock";
import { inList } from "@/lib/platform/db/page";
import { type Db, db, join, type Sql, sql } from "@/lib/platform/db/sql";
import { NotFoundError } from "@/lib/platform/errors";
import type { ReplicationStatus, StreamFilter } from "./schema";

/** An event of the stream as a row of the staff's list. */
export interface StreamListRow {
  id: number;
  patient_id: number;
  direction: Direction;
  kind: ChangeKind;
  status: ReplicationStatus;
  attempts: number;
  /** When it is tried next; null where it is not. */
  next_attempt_date: string | null;
  last_error: string | null;
  created_date: string;
  /** When it was applied, or given up. */
  acknowledged_date: string | null;
  /** Who wrote what it tells of. */
  actor: string;
  /** It can't be tried before an older one of the same patient. */
  blocked: boolean;
}

const OPEN = sql`e.status IN ('pending', 'failed')`;
const ROW = sql`e.id, e.patient_id, e.direction, e.kind, e.status, e.attempts,
  CASE WHEN e.status = 'pending' THEN e.next_attempt_date END AS next_attempt_date, e.last_error, e.created_date,
  e.acknowledged_date, coalesce(e.origin->'actor'->>'name', '') AS actor,
  ${OPEN} AND EXISTS (SELECT FROM replication_event h WHERE h.patient_id = e.patient_id AND h.id < e.id
    AND h.status IN ('pending', 'failed')) AS blocked`;

function own(access: Access): Sql {
  return inList(sql`e.practice_id`, access.practices);
}

function fitting(access: Access, { status, direction, patient, from, to }: StreamFilter): Sql {
  const when = (value: unknown, condition: Sql) => (value === undefined ? [] : [condition]);
  return join(
    [
      own(access),
      ...(status === "open" ? [OPEN] : when(status, sql`e.status = ${status}`)),
      ...when(direction, sql`e.direction = ${direction}`),
      ...when(patient, sql`e.patient_id = ${patient}`),
      ...when(from, sql`e.created_date >= ${from}::timestamptz`),
      ...when(to, sql`e.created_date < ${to}::timestamptz`),
    ],
    " AND ",
  );
}

/** How the practice's stream stands. */
export interface PracticeStream {
  pending: number;
  failed: number;
  /** When the oldest event that waits was written; null where none does. */
  oldest_pending: string | null;
  /** Seconds since then. */
  lag_seconds: number;
}

export async function practiceStream(access: Access): Promise<PracticeStream> {
  const row = await db.first<Omit<PracticeStream, "lag_seconds">>(sql`
    SELECT count(*) FILTER (WHERE e.status = 'pending') AS pending, count(*) FILTER (WHERE e.status = 'failed') AS failed,
      min(e.created_date) FILTER (WHERE e.status = 'pending') AS oldest_pending
    FROM replication_event e WHERE ${own(access)} AND ${OPEN}`);
  const { pending = 0, failed = 0, oldest_pending = null } = row ?? {};
  const waited = oldest_pending === null ? 0 : clock.now().getTime() - Date.parse(oldest_pending);
  return { pending, failed, oldest_pending, lag_seconds: Math.max(0, Math.round(waited / 1000)) };
}

/** A page of the practice's stream, newest first, how many fit in all, and the newest event there is. */
export async function searchStream(
  access: Access,
  query: StreamFilter & { offset: number; limit: number },
): Promise<{ count: number; newest: number; health: PracticeStream; results: StreamListRow[] }> {
  const where = fitting(access, query);
  const [counted, newest, health, results] = await Promise.all([
    db.first<{ count: number }>(sql`SELECT count(*) AS count FROM replication_event e WHERE ${where}`),
    db.first<{ id: number }>(sql`SELECT e.id FROM replication_event e WHERE ${own(access)} ORDER BY e.id DESC LIMIT 1`),
    practiceStream(access),
    db.rows<StreamListRow>(sql`
      SELECT ${ROW} FROM replication_event e WHERE ${where} ORDER BY e.id DESC LIMIT ${query.limit} OFFSET ${query.offset}`),
  ]);
  return { count: counted?.count ?? 0, newest: newest?.id ?? 0, health, results };
}

/** As many as one sitting can watch; the others are found by another retry. */
const MOST_RETRIED = 10_000;

/**
 * Events that fit the filter and can be tried again, the oldest first: how many, and the first of them. One that waits
 * behind an older one of its patient is tried with that.
 */
export async function findRetriableHeads(
  access: Access,
  filter: StreamFilter,
): Promise<{ count: number; ids: number[] }> {
  const rows = await db.rows<{ id: number; count: number }>(sql`
    SELECT e.id, count(*) OVER () AS count FROM replication_event e
    WHERE ${fitting(access, filter)} AND (e.status = 'failed' OR (e.status = 'pending' AND e.attempts > 0))
      AND NOT EXISTS (SELECT FROM replication_event h WHERE h.patient_id = e.patient_id AND h.id < e.id
        AND h.status IN ('pending', 'failed'))
    ORDER BY e.id LIMIT ${MOST_RETRIED}`);
  return { count: rows[0]?.count ?? 0, ids: rows.map(({ id }) => id) };
}

/** How these events stand now, how many came after one of them that fit the filter, and how the stream stands. */
export async function refreshStream(
  access: Access,
  { after, ids, ...filter }: StreamFilter & { after: number; ids: readonly number[] },
): Promise<{ newer: number; health: PracticeStream; results: StreamListRow[] }> {
  const [newer, health, results] = await Promise.all([
    db.first<{ count: number }>(sql`
      SELECT count(*) AS count FROM replication_event e WHERE ${fitting(access, filter)} AND e.id > ${after}`),
    practiceStream(access),
    db.rows<StreamListRow>(
      sql`SELECT ${ROW} FROM replication_event e WHERE ${own(access)} AND ${inList(sql`e.id`, ids)}`,
    ),
  ]);
  return { newer: newer?.count ?? 0, health, results };
}

/** An event with what it tells of. */
export interface StreamDetail extends StreamListRow {
  /** null once it is forgotten, with a policy that was deleted for good. */
  changes: (PolicyChange | PatientChange)[] | null;
  origin: Pick<Origin, "actor" | "source" | "reason" | "operation">;
  /** Open events of the same patient that wait behind it. */
  behind: number;
}

/** @throws NotFoundError where the event is absent, or of another practice */
export async function getStreamEvent(access: Access, id: number): Promise<StreamDetail> {
  const event = await db.first<StreamDetail>(sql`
    SELECT ${ROW}, e.changes, e.origin, (SELECT count(*) FROM replication_event b WHERE b.patient_id = e.patient_id AND b.id > e.id
      AND b.status IN ('pending', 'failed')) AS behind
    FROM replication_event e WHERE e.id = ${id} AND ${own(access)}`);
  if (!event) throw new NotFoundError("event");
  return event;
}

/** Whose event it is, and how it stands. @throws NotFoundError where it is absent, or of another practice */
export async function findOwnEvent(
  access: Access,
  id: number,
  read: Db = db,
): Promise<{ patient_id: number; status: ReplicationStatus; last_error: string | null; attempts: number }> {
  const event = await read.first<{
    patient_id: number;
    status: ReplicationStatus;
    last_error: string | null;
    attempts: number;
  }>(
    sql`SELECT e.patient_id, e.status, e.last_error, e.attempts FROM replication_event e WHERE e.id = ${id} AND ${own(access)}`,
  );
  if (!event) throw new NotFoundError("event");
  return event;
}
