import { isDeepStrictEqual } from "node:util";
import { type Access, changedFields, type FieldChanges, type Origin } from "@/lib/access/identity/access";
import type { ScopeResource, UnscopedResource } from "@/lib/access/identity/scopes";
import { isoNow } from "@/lib/platform/clock";
import type { Row } from "@/lib/platform/db/rows";
import { empty, inList, insertInto, join, json, raw, type Sql, sql } from "@/lib/platform/db/sql";
import type { Tx } from "@/lib/platform/db/transaction";
import { NotFoundError } from "@/lib/platform/errors";
import { type IfMatch, requireVersion } from "@/lib/platform/http/conditional";
import { pick } from "@/lib/platform/objects";

/** Parts of resources that have their own history. */
export type PartName =
  | "patient_letter_comments"
  | "patient_photos"
  | "patient_balances"
  | "patient_provider_teams"
  | "report_notes"
  | "report_delegates";

/** Resources that are served from declarations, and their parts. */
export type ResourceName = ScopeResource | UnscopedResource | PartName;

/** Practice-level records with a history in record_version. Each is the name of its table. */
export type RecordType =
  | "practice"
  | "physician"
  | "insurance_company"
  | "insurance_plan"
  | "subscription"
  | "staff_user"
  | "oauth_client"
  | "published_event";
export type RecordKind = Row<"record_version">["kind"];

type Versioned = Row<RecordType, "id" | "version">;

/**
 * The table that a record's commands lock and write. If it has a `deleted_date`, deletes are soft. The statements are SQL, because
 * Kysely must know the table when it compiles.
 */
export interface RecordTable<R extends Versioned> {
  type: RecordType;
  columns: readonly (keyof R & string)[];
  /** The column with the record's practice. */
  practice: keyof R & ("practice_id" | "id");
  /** Publishes a change to subscribers. Omitted if clients can't subscribe to these records. */
  publish?: PublishChange;
}

/** Publishes a change to a record, in the same transaction. */
export type PublishChange = (
  tx: Tx,
  change: { kind: RecordKind; id: number; practiceId: number; origin: Origin },
) => Promise<void>;

/** A request to write a record. */
export interface RecordRequest {
  access: Access;
  id: number;
  ifMatch: IfMatch;
  origin: Origin;
}

/** Appends a version to the history of a record (invariant 3). */
export async function appendRecordVersion(
  tx: Tx,
  entry: {
    type: RecordType | ResourceName;
    id: number;
    /** Null for records of clients, which belong to no practice. */
    practiceId: number | null;
    version: number;
    kind: RecordKind;
    changes: FieldChanges;
    origin: Origin;
    /** ISO 8601 */
    occurredDate: string;
  },
): Promise<void> {
  const { origin } = entry;
  // SQL, because almost every write appends a version.
  await tx.run(sql`
    INSERT INTO record_version (record_type, record_id, version, practice_id, kind, changes, actor, source, reason,
      request_id, occurred_date)
    VALUES (${entry.type}, ${entry.id}, ${entry.version}, ${entry.practiceId}, ${entry.kind}, ${json(entry.changes)},
      ${json(origin.actor)}, ${origin.source}, ${origin.reason}, ${origin.requestId}, ${entry.occurredDate})`);
}

/** The change to one of many records. */
export interface BulkChange {
  id: number;
  version: number;
  kind: RecordKind;
  changes: FieldChanges;
}

/** Appends a version for each of many records of a resource and a practice, or of every practice if `practiceId` is null. */
export async function appendRecordVersions(
  tx: Tx,
  entry: {
    type: RecordType | ResourceName;
    practiceId: number | null;
    origin: Origin;
    /** ISO 8601 */
    occurredDate: string;
  },
  changes: readonly BulkChange[],
): Promise<void> {
  if (changes.length === 0) return;
  const { type: record_type, practiceId, origin, occurredDate } = entry;
  const rows = changes.map(({ id, version, kind, changes: changed }) => ({
    record_type,
    record_id: id,
    version,
    practice_id: practiceId,
    kind,
    changes: changed,
    actor: origin.actor,
    source: origin.source,
    reason: origin.reason,
    request_id: origin.requestId,
    occurred_date: occurredDate,
  }));
  await tx.run(insertInto("record_version", rows));
}

/**
 * Locks a record until the end of the transaction. Every write to an existing record begins with it.
 *
 * @throws NotFoundError if the record is missing, deleted or outside the caller's access
 * @throws VersionConflictError if If-Match names another version
 */
export async function lockRecord<R extends Versioned>(
  tx: Tx,
  table: RecordTable<R>,
  { access, id, ifMatch }: RecordRequest,
): Promise<R> {
  const present = isSoftDeleted(table) ? sql`AND deleted_date IS NULL` : empty;
  const record = await tx.first<R>(sql`
    SELECT ${raw(table.columns.join(", "))} FROM ${raw(table.type)}
    WHERE id = ${id} AND ${inList(raw(table.practice), access.practices)} ${present} FOR NO KEY UPDATE`);
  if (!record) throw new NotFoundError(table.type.replaceAll("_", " "));
  requireVersion(ifMatch, record.version);
  return record;
}

/** Inserts a record with its version 1. Omitted columns get their default. */
export async function insertRecord<R extends Versioned>(
  tx: Tx,
  table: RecordTable<R>,
  values: Partial<R>,
  origin: Origin,
): Promise<R> {
  const now = isoNow();
  const given = table.columns.filter((column) => values[column] !== undefined);
  const record = await tx.one<R>(sql`
    INSERT INTO ${raw(table.type)} (${raw(given.join(", "))}, created_date, modified_date)
    VALUES (${join(given.map((column) => toParameter(values[column])))}, ${now}, ${now})
    RETURNING ${raw(table.columns.join(", "))}`);
  const fields = pick(
    record,
    given.filter((column) => column !== table.practice),
  );
  const practiceId = Number(record[table.practice]);
  await table.publish?.(tx, { kind: "created", id: record.id, practiceId, origin });
  await appendRecordVersion(tx, {
    type: table.type,
    id: record.id,
    practiceId,
    version: record.version,
    kind: "created",
    changes: changedFields(null, fields),
    origin,
    occurredDate: now,
  });
  return record;
}

/**
 * Updates a locked record and appends a version. Undefined values leave their field unchanged. Without changes, there is no new
 * version.
 *
 * @param write.related changes to rows that belong to the record, which the caller has written
 */
export async function updateRecord<R extends Versioned>(
  tx: Tx,
  table: RecordTable<R>,
  write: { before: R; values: Partial<R>; origin: Origin; kind?: "updated" | "deleted"; related?: FieldChanges },
): Promise<void> {
  const { before, values, origin, kind = "updated" } = write;
  // jsonb doesn't keep the order of keys, so values can't be compared as text.
  const differs = (column: keyof R) => !isDeepStrictEqual(values[column], before[column]);
  const changed = table.columns.filter((column) => values[column] !== undefined && differs(column));
  const changes = { ...changedFields(before, pick(values, changed)), ...write.related };
  if (Object.keys(changes).length === 0) return;
  const now = isoNow();
  const version = before.version + 1;
  const assignments = changed.map((column) => sql`${raw(column)} = ${toParameter(values[column])}`);
  await tx.run(sql`
    UPDATE ${raw(table.type)} SET ${join([sql`version = ${version}`, sql`modified_date = ${now}`, ...assignments])}
    WHERE id = ${before.id}`);
  const practiceId = Number(before[table.practice]);
  await table.publish?.(tx, { kind, id: before.id, practiceId, origin });
  await appendRecordVersion(tx, {
    type: table.type,
    id: before.id,
    practiceId,
    version,
    kind,
    changes,
    origin,
    occurredDate: now,
  });
}

/** Marks a locked record as deleted. Its row and history stay. */
export async function deleteRecord<R extends Versioned & { deleted_date: string | null }>(
  tx: Tx,
  table: RecordTable<R>,
  before: R,
  origin: Origin,
): Promise<void> {
  const values = { ...before, deleted_date: isoNow() };
  await updateRecord(tx, table, { before, values, origin, kind: "deleted" });
}

function isSoftDeleted(table: { columns: readonly string[] }): boolean {
  return table.columns.includes("deleted_date");
}

function toParameter(value: unknown): Sql {
  return typeof value === "object" && value !== null ? json(value) : sql`${value}`;
}
