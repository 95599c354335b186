import type { Access } from "@/lib/access/identity/access";
import { getPatient } from "@/lib/insurance/patients/queries";
import { among } from "@/lib/platform/db/page";
import { type Db, db, empty, type Sql, sql } from "@/lib/platform/db/sql";
import { NotFoundError } from "@/lib/platform/errors";
import type { Reply } from "@/lib/platform/http/reply";
import { findTimezone } from "@/lib/practice/practices/queries";
import { toKey } from "./rules";
import type { FileContent, Reader, RecordRow, Resource, ResourceName, WritableRecord } from "./schema";

/** How much data a record holds. What is compressed, which few are, has to be read for that. */
export const SIZE = sql`CASE WHEN pg_column_compression(r.data) IS NULL THEN pg_column_size(r.data) ELSE octet_length(r.data::text) END`;

/** The columns of a record, of the alias r. */
export const COLUMNS = sql`r.id, r.practice_id, r.patient_id, r.data, r.version, r.created_date, r.modified_date, r.deleted_date`;

/** What the keys of records of everybody have for a practice. */
export const NO_PRACTICE = 0;

/** Whose records the caller sees: those of their practices, and everybody's where the resource has such. */
function within(access: Pick<Access, "practices">, { owner, shared }: Pick<Resource, "owner" | "shared">): Sql {
  if (owner === "everyone") return sql`r.practice_id IS NULL`;
  const own = among(sql`r.practice_id`, access.practices);
  return shared ? sql`(${own} OR r.practice_id IS NULL)` : own;
}

/** @throws NotFoundError where the record is absent, deleted or another practice's */
export async function getRecord(
  access: Access,
  resource: Resource,
  id: number,
  { read = db, lock = empty }: { read?: Db; lock?: Sql } = {},
): Promise<RecordRow> {
  const record = await read.first<RecordRow>(sql`
    SELECT ${COLUMNS} FROM resource_record r
    WHERE r.id = ${id} AND r.resource = ${resource.name} AND ${within(access, resource)}
      AND r.deleted_date IS NULL ${lock}`);
  if (!record) throw new NotFoundError(resource.noun);
  return record;
}

/** Those of these records that the caller may change, locked for the rest of the transaction. */
export async function lockRecords(
  tx: Db,
  access: Access,
  resource: Resource,
  ids: readonly number[],
): Promise<WritableRecord[]> {
  return tx.rows<WritableRecord>(sql`
    SELECT ${COLUMNS} FROM resource_record r
    WHERE r.id = ANY(${[...ids]}::bigint[]) AND r.resource = ${resource.name} AND ${among(sql`r.practice_id`, access.practices)}
      AND r.deleted_date IS NULL ORDER BY r.id FOR NO KEY UPDATE`);
}

/** The record a path names by a value of its own instead of an id. @throws NotFoundError */
export async function getRecordByPathField(access: Access, resource: Resource, name: string): Promise<RecordRow> {
  const record = await db.first<RecordRow>(sql`
    SELECT ${COLUMNS} FROM resource_key k JOIN resource_record r ON r.id = k.record_id
    WHERE k.resource = ${resource.name} AND k.field = ${resource.pathField} AND k.value = ${toKey(name)}
      AND ${among(sql`k.practice_id`, [...access.practices, NO_PRACTICE])} AND ${within(access, resource)} AND r.deleted_date IS NULL`);
  if (!record) throw new NotFoundError(resource.noun);
  return record;
}

/**
 * Whose a record is that the caller may reach; null where there is none. Locked, it stays so, and those who add to it do so one
 * after the other.
 */
export async function findRecordOwner(
  read: Db,
  access: Access,
  { resource, id, lock = empty }: { resource: string; id: number; lock?: Sql },
): Promise<{ practiceId: number | null; patientId: number | null } | null> {
  return read.first(sql`
    SELECT r.practice_id AS "practiceId", r.patient_id AS "patientId" FROM resource_record r
    WHERE r.id = ${id} AND r.resource = ${resource}
      AND (${among(sql`r.practice_id`, access.practices)} OR r.practice_id IS NULL) AND r.deleted_date IS NULL
    ${lock}`);
}

/** Which of these records are another patient's. */
export async function findRecordsOfOthers(
  read: Db,
  { patientId, ids }: { patientId: number; ids: readonly number[] },
): Promise<number[]> {
  const rows = await read.rows<{ id: number }>(
    sql`SELECT r.id FROM resource_record r WHERE ${among(sql`r.id`, ids)} AND r.patient_id <> ${patientId} ORDER BY r.id`,
  );
  return rows.map(({ id }) => id);
}

/** What declarations look up, of these practices and of everybody; with a lock, records stay as they are found. */
export function createReader(read: Db, practices: readonly number[], lock = empty): Reader {
  const reachable = sql`(${among(sql`r.practice_id`, practices)} OR r.practice_id IS NULL) AND r.deleted_date IS NULL`;
  const idsWhere = (resource: string, field: string, values: readonly (number | string)[]) => sql`
    SELECT k.record_id FROM resource_key k
    WHERE k.resource = ${resource} AND k.field = ${field} AND ${among(sql`k.practice_id`, [...practices, NO_PRACTICE])}
      AND ${among(sql`k.value`, [...new Set(values)].map(toKey))}`;
  return {
    async recordsById(resource, ids) {
      const rows = await read.rows<RecordRow>(sql`
        SELECT ${COLUMNS} FROM resource_record r
        WHERE ${among(sql`r.id`, [...new Set(ids)])} AND r.resource = ${resource} AND ${reachable} ${lock}`);
      return new Map(rows.map((row) => [row.id, row]));
    },
    async recordsWhere(resource, field, values) {
      return read.rows<RecordRow>(sql`
        SELECT ${COLUMNS} FROM resource_record r
        WHERE ${reachable} AND r.id IN (${idsWhere(resource, field, values)}) ORDER BY r.id ${lock}`);
    },
    async sizeWhere(resource, field, value) {
      const found = await read.first<{ size: number }>(sql`
        SELECT coalesce(sum(${SIZE}), 0)::int AS size FROM resource_record r
        WHERE ${reachable} AND r.id IN (${idsWhere(resource, field, [value])})`);
      return found?.size ?? 0;
    },
    async recordsOfPatient(resource, patientId) {
      return read.rows<RecordRow>(sql`
        SELECT ${COLUMNS} FROM resource_record r
        WHERE r.patient_id = ${patientId} AND r.resource = ${resource} AND ${reachable} ORDER BY r.id ${lock}`);
    },
    async filesById(ids) {
      const rows = await read.rows<FileContent & { id: number }>(sql`
        SELECT f.id, f.filename, f.content_type, f.content FROM resource_file f
        JOIN resource_record r ON r.id = f.record_id WHERE ${among(sql`f.id`, [...new Set(ids)])} AND ${reachable}`);
      return new Map(rows.map(({ id, ...file }) => [id, file]));
    },
    timezone: (practiceId) => findTimezone(read, practiceId),
  };
}

/** Asks once, and tells the same again; for as long as nothing changes what would be answered. */
export function memoize<A extends unknown[], T>(ask: (...asked: A) => Promise<T>): (...asked: A) => Promise<T> {
  const known = new Map<string, Promise<T>>();
  return (...asked) => {
    const name = JSON.stringify(asked);
    const answer = known.get(name) ?? ask(...asked);
    known.set(name, answer);
    return answer;
  };
}

/** A reader that looks up nothing twice. */
export function memoizeReader(reader: Reader): Reader {
  return {
    recordsById: memoize(reader.recordsById),
    recordsWhere: memoize(reader.recordsWhere),
    sizeWhere: reader.sizeWhere,
    recordsOfPatient: memoize(reader.recordsOfPatient),
    filesById: memoize(reader.filesById),
    timezone: memoize(reader.timezone),
  };
}

/**
 * What a write looks up whose outcome depends on it: until the write is done, nobody changes or deletes what was found. A
 * plain reader would tell what another write, not committed yet, makes untrue.
 */
export const createLockingReader = (tx: Db, practices: readonly number[]): Reader =>
  createReader(tx, practices, sql`FOR SHARE OF r`);

/** A record below another one. @throws NotFoundError where either is absent, or the one is not below the other */
export async function getNestedRecord(
  access: Access,
  part: Resource,
  { id, field, of }: { id: number; field: string; of: number },
): Promise<RecordRow> {
  const record = await getRecord(access, part, id);
  if (record.data[field] !== of) throw new NotFoundError(part.noun);
  return record;
}

/** The same for answers, outside of any transaction. */
export function readerFor({ practices }: Access): Reader {
  return createReader(db, practices);
}

/** A file of a record the caller may see, as it is answered. @throws NotFoundError */
export async function getFile(access: Access, id: number): Promise<NonNullable<Reply["file"]>> {
  const file = (await readerFor(access).filesById([id])).get(id);
  if (!file) throw new NotFoundError("file");
  return { bytes: file.content, contentType: file.content_type, filename: file.filename };
}

/** Files that reached a practice, by id. */
export async function findIncomingFiles(
  read: Db,
  { practiceId, ids }: { practiceId: number; ids: readonly number[] },
): Promise<{ id: number; content_type: string; original_filename: string }[]> {
  return read.rows(sql`
    SELECT f.id, f.content_type, f.filename AS original_filename FROM resource_file f
    JOIN resource_record r ON r.id = f.record_id
    WHERE ${among(sql`f.id`, ids)} AND r.resource = 'incoming_files' AND r.practice_id = ${practiceId}
      AND r.deleted_date IS NULL ORDER BY f.id`);
}

/** A file by its id, with the patient it is about; null where its record was deleted. For who holds a signed link. */
export async function findLinkedFile(
  id: number,
): Promise<(FileContent & Pick<RecordRow, "patient_id" | "practice_id">) | null> {
  return db.first(sql`
    SELECT f.filename, f.content_type, f.content, r.patient_id, r.practice_id FROM resource_file f
    JOIN resource_record r ON r.id = f.record_id WHERE f.id = ${id} AND r.deleted_date IS NULL`);
}

/** A patient's records of a resource, by id. */
export async function listPatientRecords(
  access: Access,
  resource: ResourceName,
  patientId: number,
): Promise<RecordRow[]> {
  return readerFor(access).recordsOfPatient(resource, patientId);
}

/**
 * What a patient has one of.
 *
 * @throws NotFoundError where the caller has no such patient, or the patient has none
 */
export async function getSingleton(access: Access, resource: Resource, patientId: number): Promise<RecordRow> {
  await getPatient(access, patientId);
  const [record] = await listPatientRecords(access, resource.name, patientId);
  if (!record) throw new NotFoundError(resource.noun);
  return record;
}

/** Records of a resource that hold a value in a field lists are filtered by, by id. */
export async function listRecordsWhere(
  access: Access,
  { resource, field, value }: { resource: ResourceName; field: string; value: number },
): Promise<RecordRow[]> {
  return readerFor(access).recordsWhere(resource, field, [value]);
}

/** Which of these patients have records, deleted ones included. */
export async function listPatientsWithRecords(read: Db, ids: readonly number[]): Promise<Set<number>> {
  const rows = await read.rows<{ id: number }>(sql`
    SELECT DISTINCT patient_id AS id FROM resource_record WHERE patient_id = ANY(${[...ids]}::bigint[])`);
  return new Set(rows.map(({ id }) => id));
}
