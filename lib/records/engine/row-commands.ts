import { appendRecordVersions, type BulkChange, type ResourceName } from "@/lib/access/history/commands";
import type { Origin } from "@/lib/access/identity/access";
import { isScopeResource } from "@/lib/access/identity/scopes";
import { publishChanges, publishEvents } from "@/lib/events/published/publish-events";
import { anyOf, kysely } from "@/lib/platform/db/kysely";
import type { Row } from "@/lib/platform/db/rows";
import { chunks, insertInto, sql } from "@/lib/platform/db/sql";
import type { Tx } from "@/lib/platform/db/transaction";
import { NO_PRACTICE } from "./queries";
import { EXTERNAL_ID, fieldColumn, keyFields, toKey } from "./rules";
import type { FileContent, RecordRow, Resource } from "./schema";

/** The maximum number of rows in a statement. */
const MAX_ROWS = 1_000;

/** Returns unused IDs. */
export async function nextIds(tx: Tx, table: "resource_record" | "resource_file", count: number): Promise<number[]> {
  if (count === 0) return [];
  const rows = await tx.rows<Row<"resource_record", "id">>(sql`
    SELECT nextval(pg_get_serial_sequence(${table}, 'id')) AS id FROM generate_series(1, ${count})`);
  return rows.map(({ id }) => id);
}

/** Returns an unused ID. */
export async function nextId(tx: Tx, table: "resource_record" | "resource_file"): Promise<number> {
  const [id] = await nextIds(tx, table, 1);
  if (id === undefined) throw new Error(`${table} has no sequence of IDs`);
  return id;
}

/** Inserts new records of a resource with their keys. */
export async function insertRows(tx: Tx, resource: Resource, records: readonly RecordRow[]): Promise<void> {
  for (const part of chunks(records, MAX_ROWS)) {
    const rows = part.map((record) => ({ ...record, resource: resource.name }));
    await tx.run(insertInto("resource_record", rows));
    await insertKeys(tx, resource, part);
  }
}

/** Replaces the keys of records whose data changed. */
export async function replaceKeys(tx: Tx, resource: Resource, records: readonly RecordRow[]): Promise<void> {
  const ids = records.map(({ id }) => id);
  await deleteKeys(tx, ids);
  await insertKeys(tx, resource, records);
}

/** Deletes the keys of records. */
export async function deleteKeys(tx: Tx, ids: readonly number[]): Promise<void> {
  await tx.run(kysely.deleteFrom("resource_key").where("record_id", "=", anyOf(ids)));
}

async function insertKeys(tx: Tx, resource: Resource, records: readonly RecordRow[]): Promise<void> {
  const rows = records.flatMap((record) => keyRows(resource, record));
  if (rows.length > 0) await tx.run(insertInto("resource_key", rows));
}

/** Returns the keys of a record: one for each value of each field with keys. Only loaded records have an external ID. */
export function keyRows(resource: Resource, record: RecordRow) {
  const keyValue = (field: string) => {
    const key = resource.keys?.[field];
    const column = fieldColumn(resource, field);
    return key ? key.value(record.data) : column ? record[column] : record.data[field];
  };
  const fields = keyFields(resource).filter((field) => field !== EXTERNAL_ID || keyValue(field) !== undefined);
  return fields.flatMap((field) =>
    [...new Set([keyValue(field)].flat().map(toKey))].map((value) => ({
      resource: resource.name,
      field,
      practice_id: record.practice_id ?? NO_PRACTICE,
      value,
      record_id: record.id,
    })),
  );
}

/** Deletes all records of a patient who is being deleted, each with a version, and notifies their subscribers. */
export async function deletePatientRecords(
  tx: Tx,
  { patientId, practiceId, origin, now }: { patientId: number; practiceId: number; origin: Origin; now: string },
): Promise<void> {
  const rows = await tx.rows(
    kysely
      .updateTable("resource_record")
      .set((row) => ({ deleted_date: now, modified_date: now, version: row("version", "+", 1) }))
      .where("patient_id", "=", patientId)
      .where("deleted_date", "is", null)
      .returning(["id", "resource", "version"])
      .$narrowType<{ resource: ResourceName }>(),
  );
  const ids = rows.map(({ id }) => id);
  await deleteKeys(tx, ids);
  const changes = { deleted_date: { old: null, new: now } };
  for (const type of new Set(rows.map(({ resource }) => resource))) {
    const ofType = rows.filter(({ resource }) => resource === type);
    for (const part of chunks(ofType, MAX_ROWS)) {
      const versions = part.map(({ id, version }) => ({ id, version, kind: "deleted" as const, changes }));
      await recordVersions(tx, { type, practiceId, origin, now }, versions);
    }
  }
}

/** A file to store with a record. */
export type StoredFile = FileContent & Pick<Row<"resource_file">, "id" | "record_id">;

/** Inserts files in the transaction of their records. */
export async function insertFiles(tx: Tx, files: readonly StoredFile[], now: string): Promise<void> {
  for (const { id, record_id, filename, content_type, content } of files) {
    const row = { id, record_id, filename, content_type, content, created_date: now };
    await tx.run(kysely.insertInto("resource_file").values(row));
  }
}

/** Appends versions of records of one resource, and publishes the changes if clients can subscribe to it. */
async function recordVersions(
  tx: Tx,
  { type, practiceId, origin, now }: { type: ResourceName; practiceId: number | null; origin: Origin; now: string },
  changes: readonly BulkChange[],
): Promise<void> {
  if (practiceId !== null && isScopeResource(type))
    await publishChanges(tx, { resource: type, practiceId, origin }, changes);
  await appendRecordVersions(tx, { type, practiceId, origin, occurredDate: now }, changes);
}

/** A record that was written, and the changes that its version records. */
export interface RowChange extends Omit<BulkChange, "id" | "version"> {
  record: RecordRow;
}

/**
 * Appends versions and events of records of one resource, in one practice or shared by all. Shared records have no events: a new
 * release of a drug directory would be an event for every row and every client. Clients find changes by the list instead.
 */
export async function appendChanges(
  tx: Tx,
  { name: type, partOf }: Resource,
  { practiceId, origin, now }: { practiceId: number | null; origin: Origin; now: string },
  changes: readonly RowChange[],
): Promise<void> {
  for (const part of chunks(changes, MAX_ROWS)) {
    const versions = part.map(({ record: { id, version }, kind, changes }) => ({ id, version, kind, changes }));
    await recordVersions(tx, { type, practiceId, origin, now }, versions);
  }
  if (!partOf || practiceId === null || changes.length === 0) return;
  const ids = [...new Set(changes.flatMap(({ record }) => partOf.id(record) ?? []))];
  await publishEvents(tx, { type: "saved", resource: partOf.resource, ids, practiceId, origin });
}
