import type { AuditKind } from "@/generated/rows/enums";
import type { Origin } from "@/lib/access/identity/access";
import { practicesOfPatients } from "@/lib/access/tenancy/organizations";
import { isoNow } from "@/lib/platform/clock";
import { GroupCommit } from "@/lib/platform/db/group-commit";
import type { Row } from "@/lib/platform/db/rows";
import { db, fixed, raw, type Statement, sql } from "@/lib/platform/db/sql";
import type { Tx } from "@/lib/platform/db/transaction";
import { rowInsert } from "@/lib/platform/db/writes";
import { processWide } from "@/lib/platform/objects";
import type { AuditQuery } from "./schema";

/** A request that read or changed patient data. */
interface Entry {
  kind: Exclude<AuditKind, "security">;
  origin: Origin;
  /** IDs of the patients. Each of their practices gets an entry. */
  patients: readonly number[];
  /** If set, only this practice gets an entry, with those of the patients who belong to the practice. */
  practice?: number;
  /** Practices whose records were shown that contain personal data but no patient, such as an incoming fax. */
  unnamed?: readonly number[];
}

/** Appends the entry of a change in its transaction. It locks nothing: a sealer adds it to the practice's chain after the commit. */
export async function auditChange(tx: Tx, origin: Origin, patients: readonly number[]): Promise<void> {
  tx.send(insertEntries([{ kind: "change", origin, patients }]));
}

/** Appends the entry of a change to one patient in its transaction, which has read the patient's practice. */
export function auditPatientChange(tx: Tx, origin: Origin, patient: Row<"patient", "id" | "practice_id">): void {
  const { actor, operation, path, source, address, reason, requestId } = origin;
  tx.send(
    INSERT_PATIENT_CHANGE({
      practice_id: patient.practice_id,
      occurred_date: isoNow(),
      actor_type: actor.type,
      actor_id: actor.id,
      actor_name: actor.name,
      kind: "change",
      operation,
      path,
      patients: [patient.id],
      source,
      address,
      reason,
      request_id: requestId,
    }),
  );
}

/** Appends an entry for each change made by a request, in their transaction. */
export async function auditChanges(tx: Tx, origin: Origin, changes: readonly (readonly number[])[]): Promise<void> {
  const entries = changes.map((patients): Entry => ({ kind: "change", origin, patients }));
  if (entries.length > 0) tx.send(insertEntries(entries));
}

/** Appends the entry of a read in the transaction of a change, whose response shows patients that it did not change. */
export async function auditReadIn(tx: Tx, origin: Origin, patients: readonly number[]): Promise<void> {
  if (patients.length > 0) tx.send(insertEntries([{ kind: "read", origin, patients }]));
}

/** Appends the entry of `auditReadOfPractice` in the transaction of a change. */
export async function auditReadOfPracticeIn(
  tx: Tx,
  origin: Origin,
  practice: number,
  patients: readonly number[],
): Promise<void> {
  tx.send(insertEntries([{ kind: "read", origin, patients, practice }]));
}

/**
 * Appends the entry of a change to a practice's data about people who may not be its patients, in its transaction.
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
 * @param unnamed practices whose records were shown that contain personal data but no patient
 * @throws OverloadedError if the database is unavailable or too many entries are waiting
 */
export async function auditRead(
  origin: Origin,
  patients: readonly number[],
  unnamed: readonly number[] = [],
): Promise<void> {
  if (patients.length > 0 || unnamed.length > 0) await addRead({ kind: "read", origin, patients, unnamed });
}

/** Appends the entry of a search of a practice's audit, with the filters as the query of its path. Wait for it like `auditRead`. */
export async function auditSearch(origin: Origin, practice: number, query: AuditQuery): Promise<void> {
  const filters = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  const search = filters.length > 0 ? `?${new URLSearchParams(filters)}` : "";
  const patients = query.patient === undefined ? [] : [query.patient];
  await addRead({
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
  await addRead({ kind: "read", origin, patients, practice });
}

/**
 * Stores the reads of concurrent requests in one commit. Under load, each read waits up to 2 ms for others,
 * because a statement costs the server more than an entry.
 */
async function addRead(entry: Entry): Promise<void> {
  const queue = processWide("crosswalkAuditedReads", () => {
    const write = async (entries: readonly Entry[]) => void (await db.run(insertEntries(entries)));
    return new GroupCommit<Entry>(write, { intervalMs: 2 });
  });
  await queue.add(entry);
}

const COLUMN_NAMES = [
  "practice_id",
  "occurred_date",
  "actor_type",
  "actor_id",
  "actor_name",
  "kind",
  "operation",
  "path",
  "patients",
  "source",
  "address",
  "reason",
  "request_id",
] as const;
const COLUMNS = raw(COLUMN_NAMES.join(", "));
const INSERT_PATIENT_CHANGE = rowInsert("audit_pending", COLUMN_NAMES);

function insertEntries(entries: readonly Entry[]): Statement<unknown> {
  const [only, ...others] = entries;
  const [patient, ...otherPatients] = only?.patients ?? [];
  const isPlain = only && others.length === 0 && otherPatients.length === 0 && only.practice === undefined;
  return isPlain && patient !== undefined && !only.unnamed?.length ? insertEntry(only, patient) : insertMany(entries);
}

const INSERT_ENTRY = fixed(
  (
    now: string,
    kind: Entry["kind"],
    patient: number,
    actorType: string,
    actorId: number | null,
    actorName: string,
    operation: string,
    path: string | null,
    source: string,
    address: string | null,
    reason: string | null,
    requestId: string | null,
  ) => sql`
    INSERT INTO audit_pending (${COLUMNS})
    SELECT p.practice_id, ${now}::timestamptz, ${actorType}::actor_type, ${actorId}::bigint, ${actorName}, ${kind}::audit_kind,
      ${operation}, ${path}, ARRAY[p.patient], ${source}, ${address}, ${reason}, ${requestId}
    FROM ${practicesOfPatients(sql`= ${patient}`)} p`,
);

/** Inserts the entry of a request that read or changed one patient, at half the cost of `insertMany`. */
function insertEntry({ kind, origin }: Entry, patient: number): Statement<unknown> {
  const { actor, operation, path, source, address, reason, requestId } = origin;
  const { type, id, name } = actor;
  return INSERT_ENTRY(isoNow(), kind, patient, type, id, name, operation, path, source, address, reason, requestId);
}

const INSERT_ENTRIES = fixed(
  (now: string, rows: string) => sql`
    INSERT INTO audit_pending (${COLUMNS})
    SELECT s.practice_id, ${now}::timestamptz, actor_type, actor_id, actor_name, kind, operation, path, s.patients, source, address,
      reason, request_id
    FROM json_to_recordset(${rows}::json) AS e(practice bigint, unnamed bigint[], kind audit_kind, patients bigint[],
        actor_type actor_type, actor_id bigint, actor_name text, operation text, path text, source text, address text, reason text,
        request_id text)
      CROSS JOIN LATERAL (
        SELECT shown.practice_id, coalesce(array_agg(patient ORDER BY patient) FILTER (WHERE patient IS NOT NULL), '{}') AS patients
        FROM (
          SELECT p.patient, p.practice_id FROM ${practicesOfPatients(sql`= ANY (e.patients)`)} p
          WHERE e.practice IS NULL OR p.practice_id = e.practice
          UNION ALL SELECT NULL, e.practice WHERE e.practice IS NOT NULL
          UNION ALL SELECT NULL, n.practice FROM unnest(e.unnamed) AS n(practice)) AS shown
        GROUP BY shown.practice_id) AS s`,
);

function insertMany(entries: readonly Entry[]): Statement<unknown> {
  const rows = entries.map(({ kind, origin, patients, practice, unnamed }) => ({
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
  return INSERT_ENTRIES(isoNow(), JSON.stringify(rows));
}
