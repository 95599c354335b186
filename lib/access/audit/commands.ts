import type { AuditKind } from "@/generated/rows/enums";
import type { Origin } from "@/lib/access/identity/access";
import { practiceOfPatient } from "@/lib/access/tenancy/organizations";
import { isoNow } from "@/lib/platform/clock";
import { GroupCommit } from "@/lib/platform/db/group-commit";
import { type Db, db, json, sql } from "@/lib/platform/db/sql";
import { processWide } from "@/lib/platform/objects";
import type { AuditQuery } from "./schema";

/** One request that read or changed patient data. */
interface Entry {
  kind: Exclude<AuditKind, "security">;
  origin: Origin;
  /** Whose data; a request on patients of several practices makes an entry in each one's chain. */
  patients: readonly number[];
  /** Where it is known, whoever the patients are: in this chain alone, with those of the patients who are this practice's. */
  practice?: number;
  /** Practices whose records it showed that hold people's data without naming a patient: an incoming fax. */
  unnamed?: readonly number[];
}

/**
 * Appends the entry of a change, in the transaction of the change and as its last statement: the practice's chain is held
 * from here to the commit (design §9).
 */
export async function auditChange(db: Db, origin: Origin, patients: readonly number[]): Promise<void> {
  await append(db, [{ kind: "change", origin, patients }]);
}

/** The same for changes of one request that are an entry each. */
export async function auditChanges(db: Db, origin: Origin, changes: readonly (readonly number[])[]): Promise<void> {
  const entries = changes.map((patients): Entry => ({ kind: "change", origin, patients }));
  if (entries.length > 0) await append(db, entries);
}

/** Appends the entry of what the answer to a change shows of patients it did not change, in its transaction, as above. */
export async function auditShown(db: Db, origin: Origin, patients: readonly number[]): Promise<void> {
  if (patients.length > 0) await append(db, [{ kind: "read", origin, patients }]);
}

/**
 * Appends the entry of a change to what a practice holds of people who need not be its patients, in the transaction of the
 * change and as its last statement.
 *
 * @param patients those of them who are
 */
export async function auditChangeOfPractice(
  db: Db,
  origin: Origin,
  practice: number,
  patients: readonly number[],
): Promise<void> {
  await append(db, [{ kind: "change", origin, patients, practice }]);
}

/**
 * Appends the entry of a read. It resolves when the entry is stored: what can't be audited is not shown.
 *
 * @param practices the caller may reach
 * @param unnamed practices whose records it showed that hold people's data without naming a patient
 * @throws OverloadedError where the database is not there, or too many wait for the same chain
 */
export async function auditRead(
  origin: Origin,
  patients: readonly number[],
  practices: readonly number[],
  unnamed: readonly number[] = [],
): Promise<void> {
  if (patients.length > 0 || unnamed.length > 0) await addRead(practices, { kind: "read", origin, patients, unnamed });
}

/**
 * Appends the entry of a look at a practice's audit itself, as `auditRead` does: with what was looked for, as the query of
 * its path, and of the patient who was looked for.
 */
export async function auditLook(origin: Origin, practice: number, query: AuditQuery): Promise<void> {
  const asked = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  const search = asked.length > 0 ? `?${new URLSearchParams(asked)}` : "";
  const patients = query.patient === undefined ? [] : [query.patient];
  await addRead([practice], {
    kind: "read",
    origin: { ...origin, path: `${origin.path ?? ""}${search}` },
    patients,
    practice,
  });
}

/**
 * Appends the entry of a read of what a practice holds of people who need not be its patients yet: an export on its way in.
 *
 * @param patients those of them who are
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
  const queue = queues.get(name) ?? new GroupCommit<Entry>((entries) => append(db, entries));
  queues.set(name, queue);
  await queue.add(entry);
}

const HOME_PRACTICE = practiceOfPatient(sql`u.patient`);

/**
 * Locks chains in the order of their practices, so that two writers can't deadlock. OFFSET 0 makes PostgreSQL look up each patient's
 * practice once.
 */
async function append(db: Db, entries: readonly Entry[]): Promise<void> {
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
  await db.run(sql`
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
    ORDER BY practice_id, place`);
}
