import { appendRecordVersions, type BulkChange } from "@/lib/access/history/commands";
import type { Origin } from "@/lib/access/identity/origin";
import { isScopeResource } from "@/lib/access/identity/scopes";
import { publishChanges, publishEvents } from "@/lib/events/published/publish-events";
import { chunks } from "@/lib/platform/chunks";
import { insertInto } from "@/lib/platform/db/insert";
import { sql } from "@/lib/platform/db/sql";
import type { Tx } from "@/lib/platform/db/transaction";
import { NO_PRACTICE } from "./queries";
import { EXTERNAL_ID, fieldColumn, keyFields, toKey } from "./rules";
import type { FileContent, RecordRow, Resource, ResourceName } from "./schema";

/** So many records are written by one statement. */
const MOST_ROWS = 1_000;

/** Ids that nothing has. */
export async function nextIds(tx: Tx, table: "resource_record" | "resource_file", count: number): Promise<number[]> {
  if (count === 0) return [];
  const rows = await tx.rows<{ id: number }>(sql`
    SELECT nextval(pg_get_serial_sequence(${table}, 'id')) AS id FROM generate_series(1, ${count})`);
  return rows.map(({ id }) => id);
}

/** New records of a resource, with their keys. */
export async function insertRows(tx: Tx, resource: Resource, records: readonly RecordRow[]): Promise<void> {
  for (const part of chunks(records, MOST_ROWS)) {
    const rows = part.map((record) => ({ ...record, resource: resource.name }));
    await tx.run(insertInto("resource_record", rows));
    await insertKeys(tx, resource, part);
  }
}

/** The keys of records that hold something else now. */
export async function replaceKeys(tx: Tx, resource: Resource, records: readonly RecordRow[]): Promise<void> {
  const ids = records.map(({ id }) => id);
  await deleteKeys(tx, ids);
  await insertKeys(tx, resource, records);
}

/** The keys of records that are shown no more. */
export async function deleteKeys(tx: Tx, ids: readonly number[]): Promise<void> {
  await tx.run(sql`DELETE FROM resource_key WHERE record_id = ANY(${[...ids]}::bigint[])`);
}

async function insertKeys(tx: Tx, resource: Resource, records: readonly RecordRow[]): Promise<void> {
  const rows = records.flatMap((record) => keyRows(resource, record));
  if (rows.length > 0) await tx.run(insertInto("resource_key", rows));
}

/** The keys of a record: one for each value of each field that has keys; who was never loaded has no name in a file. */
export function keyRows(resource: Resource, record: RecordRow) {
  const held = (field: string) => {
    const derived = resource.keys?.[field];
    const column = fieldColumn(resource, field);
    return derived ? derived.value(record.data) : column ? record[column] : record.data[field];
  };
  const fields = keyFields(resource).filter((field) => field !== EXTERNAL_ID || held(field) !== undefined);
  return fields.flatMap((field) =>
    [...new Set([held(field)].flat().map(toKey))].map((value) => ({
      ...{
        resource: resource.name,
        field,
        practice_id: record.practice_id ?? NO_PRACTICE,
        value,
        record_id: record.id,
      },
    })),
  );
}

/** Deletes every record of a patient who is being deleted, each with its version; who subscribed to them is told. */
export async function deletePatientRecords(
  tx: Tx,
  { patientId, practiceId, origin, now }: { patientId: number; practiceId: number; origin: Origin; now: string },
): Promise<void> {
  const rows = await tx.rows<{ id: number; resource: ResourceName; version: number }>(sql`
    UPDATE resource_record SET deleted_date = ${now}, version = version + 1, modified_date = ${now}
    WHERE patient_id = ${patientId} AND deleted_date IS NULL RETURNING id, resource, version`);
  await deleteKeys(
    tx,
    rows.map(({ id }) => id),
  );
  const changes = { deleted_date: { old: null, new: now } };
  for (const type of new Set(rows.map(({ resource }) => resource))) {
    const own = rows.filter(({ resource }) => resource === type);
    for (const part of chunks(own, MOST_ROWS)) {
      const versions = part.map(({ id, version }) => ({ id, version, kind: "deleted" as const, changes }));
      await recordVersions(tx, { type, practiceId, origin, now }, versions);
    }
  }
}

/** A file that a record keeps. */
export type KeptFile = FileContent & { id: number; record_id: number };

/** Files of records, in the transaction of their records. */
export async function insertFiles(tx: Tx, files: readonly KeptFile[], now: string): Promise<void> {
  for (const { id, record_id, filename, content_type, content } of files) {
    await tx.run(sql`
      INSERT INTO resource_file (id, record_id, filename, content_type, content, created_date)
      VALUES (${id}, ${record_id}, ${filename}, ${content_type}, ${content}, ${now})`);
  }
}

/** Appends versions of records of one resource, and publishes them where clients can subscribe to it. */
async function recordVersions(
  tx: Tx,
  { type, practiceId, origin, now }: { type: ResourceName; practiceId: number | null; origin: Origin; now: string },
  changes: readonly BulkChange[],
): Promise<void> {
  if (practiceId !== null && isScopeResource(type))
    await publishChanges(tx, { resource: type, practiceId, origin }, changes);
  await appendRecordVersions(tx, { type, practiceId, origin, occurredDate: now }, changes);
}

/** A record that was written, and what its version says of that. */
export interface RowChange extends Omit<BulkChange, "id" | "version"> {
  record: RecordRow;
}

/**
 * Versions and events of records of one resource and one practice, or everybody's. Nobody is told of what is everybody's: a
 * new release of a drug directory would be an event for every row and every client, and they ask for what changed by the list.
 */
export async function appendChanges(
  tx: Tx,
  { name: type, partOf }: Resource,
  { practiceId, origin, now }: { practiceId: number | null; origin: Origin; now: string },
  changes: readonly RowChange[],
): Promise<void> {
  for (const part of chunks(changes, MOST_ROWS)) {
    const versions = part.map(({ record: { id, version }, kind, changes }) => ({ id, version, kind, changes }));
    await recordVersions(tx, { type, practiceId, origin, now }, versions);
  }
  if (!partOf || practiceId === null || changes.length === 0) return;
  const ids = [...new Set(changes.map(({ record }) => partOf.id(record)))];
  await publishEvents(tx, { type: "saved", resource: partOf.resource, ids, practiceId, origin });
}
