import type { AuditKind } from "@/generated/rows/enums";
import type { Origin } from "@/lib/access/identity/access";
import { practiceOfPatient } from "@/lib/access/tenancy/organizations";
import { isoNow } from "@/lib/platform/clock";
import { GroupCommit } from "@/lib/platform/db/group-commit";
import { db, json, type Sql, sql } from "@/lib/platform/db/sql";
import type { Tx } from "@/lib/platform/db/transaction";
import { processWide } from "@/lib/platform/objects";
import type { AuditQuery } from "./schema";

/** A request that read or changed patient data. */
interface Entry {
  kind: Exclude<AuditKind, "security">;
  origin: Origin;
  /** IDs of the patients. The chain of each of their practices gets an entry. */
  patients: readonly number[];
  /** If set, only this practice's chain gets an entry, with those of the patients who belong to the practice. */
  practice?: number;
  /** Practices whose records were shown that contain personal data but no patient, such as an incoming fax. */
  unnamed?: readonly number[];
}

/**
 * Appends the entry of a change. It must be the last statement of the change's transaction, because it locks the practice's chain
 * until the commit.
 */
export async function auditChange(tx: Tx, origin: Origin, patients: readonly number[]): Promise<void> {
  tx.send(insertEntries([{ kind: "change", origin, patients }]));
}

/** Appends an entry for each change made by a request, under the same conditions as `auditChange`. */
export async function auditChanges(tx: Tx, origin: Origin, changes: readonly (readonly number[])[]): Promise<void> {
  const entries = changes.map((patients): Entry => ({ kind: "change", origin, patients }));
  if (entries.length > 0) tx.send(insertEntries(entries));
}

/**
 * Appends the entry of a read in the transaction of a change, whose response shows patients that it did not change. Under the same
 * conditions as `auditChange`.
 */
export async function auditReadIn(tx: Tx, origin: Origin, patients: readonly number[]): Promise<void> {
  if (patients.length > 0) tx.send(insertEntries([{ kind: "read", origin, patients }]));
}

/**
 * Appends the entry of a change to a practice's data about people who may not be its patients, under the same conditions as
 * `auditChange`.
 *
 * @param patients those who are patients of the practice
 */
export async function auditChangeOfPractice(
  tx: Tx,
  origin: Origin,
  practice: number,
  patients: readonly number[],
): Promise<void> {
  tx.send(insertEntries([{ kind: "change", origin, patients, practice }]));
}

/**
 * Appends the entry of a read. Wait for it before sending the data.
 *
 * @param practices practices that the caller may access
 * @param unnamed practices whose records were shown that contain personal data but no patient
 * @throws OverloadedError if the database is unavailable or too many entries wait for the same chain
 */
export async function auditRead(
  origin: Origin,
  patients: readonly number[],
  practices: readonly number[],
  unnamed: readonly number[] = [],
): Promise<void> {
  if (patients.length > 0 || unnamed.length > 0) await addRead(practices, { kind: "read", origin, patients, unnamed });
}

/** Appends the entry of a search of a practice's audit, with the filters as the query of its path. Wait for it like `auditRead`. */
export async function auditSearch(origin: Origin, practice: number, query: AuditQuery): Promise<void> {
  const filters = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  const search = filters.length > 0 ? `?${new URLSearchParams(filters)}` : "";
  const patients = query.patient === undefined ? [] : [query.patient];
  await addRead([practice], {
    kind: "read",
    origin: { ...origin, path: `${origin.path ?? ""}${search}` },
    patients,
    practice,
  });
}

/**
 * Appends the entry of a read of a practice's data about people who may not be its patients yet, such as an uploaded export. Wait for
 * it like `auditRead`.
 *
 * @param patients those who are patients of the practice
 */
export async function auditReadOfPractice(
  origin: Origin,
  practice: number,
  patients: readonly number[],
): Promise<void> {
  await addRead([practice], { kind: "read", origin, patients, practice });
}

/** Queues reads by set of practices, so that a practice whose chain is locked delays no other. */
async function addRead(practices: readonly number[], entry: Entry): Promise<void> {
  const queues = processWide("crosswalkAuditedReads", () => new Map<string, GroupCommit<Entry>>());
  const name = practices.join();
  const queue =
    queues.get(name) ??
    new GroupCommit<Entry>(async (entries) => {
      await db.run(insertEntries(entries));
    });
  queues.set(name, queue);
  await queue.add(entry);
}

const HOME_PRACTICE = practiceOfPatient(sql`u.patient`);

/**
 * Locks chains in the order of their practices, so that two writers can't deadlock. OFFSET 0 makes PostgreSQL look up each patient's
 * practice once.
 */
function insertEntries(entries: readonly Entry[]): Sql {
  const now = isoNow();
  const rows = entries.map(({ kind, origin, patients, practice, unnamed }, place) => ({
    place,
    practice,
    unnamed,
    kind,
    patients,
    actor_type: origin.actor.type,
    actor_id: origin.actor.id,
    actor_name: origin.actor.name,
    operation: origin.operation,
    path: origin.path,
    source: origin.source,
    address: origin.address,
    reason: origin.reason,
    request_id: origin.requestId,
  }));
  return sql`
    INSERT INTO audit_entry (practice_id, occurred_date, actor_type, actor_id, actor_name, kind, operation, path, patients,
      source, address, reason, request_id)
    SELECT practice_id, ${now}::timestamptz, actor_type, actor_id, actor_name, kind, operation, path,
      coalesce(array_agg(patient ORDER BY patient) FILTER (WHERE home = practice_id AND patient IS NOT NULL), '{}'), source, address, reason, request_id
    FROM (SELECT e.*, shown.patient, shown.home, coalesce(e.practice, shown.home) AS practice_id
      FROM jsonb_to_recordset(${json(rows)}) AS e(place int, practice bigint, unnamed bigint[], kind audit_kind, patients bigint[], actor_type actor_type,
        actor_id bigint, actor_name text, operation text, path text, source text, address text, reason text, request_id text)
      LEFT JOIN LATERAL (
        SELECT u.patient, p.home FROM unnest(e.patients) AS u(patient)
          CROSS JOIN LATERAL (SELECT ${HOME_PRACTICE} AS home OFFSET 0) p
        UNION ALL SELECT NULL, practice FROM unnest(e.unnamed) AS n(practice)) shown ON TRUE) seen
    WHERE practice_id IS NOT NULL
    GROUP BY place, practice_id, actor_type, actor_id, actor_name, kind, operation, path, source, address, reason, request_id
    ORDER BY practice_id, place`;
}
