import type { Access } from "@/lib/access/identity/access";
import { getPatient } from "@/lib/insurance/patients/queries";
import { anyOf, kysely } from "@/lib/platform/db/kysely";
import type { Row } from "@/lib/platform/db/rows";
import { type Db, db, empty, inList, type Sql, sql } from "@/lib/platform/db/sql";
import { NotFoundError } from "@/lib/platform/errors";
import type { Reply } from "@/lib/platform/http/response";
import { signedFileUrl } from "@/lib/platform/storage/signed-url";
import { findTimezone } from "@/lib/practice/practices/queries";
import type { Data } from "./data-types";
import type { Field } from "./fields";
import { toKey, viewFields } from "./rules";
import type { FileContent, Reader, RecordRow, Resource, ResourceRef, ViewName, WritableRecord } from "./schema";

// The type of a record's data comes from the declaration of its resource. That is sound because a statement selects records of
// one resource, and only commands that follow its declaration write them (tests/domain/record-types.test.ts).
//
// Reads of records are on the hot path, so they are SQL (ADR 0188).

/** Selects the bytes of a record's data. Only compressed data, which is rare, must be read for that. */
export const SIZE = sql`CASE WHEN pg_column_compression(r.data) IS NULL THEN pg_column_size(r.data) ELSE octet_length(r.data::text) END`;

/** The columns of a record, of the alias r. */
export const COLUMNS = sql`r.id, r.practice_id, r.patient_id, r.data, r.version, r.created_date, r.modified_date, r.deleted_date`;

/** The `practice_id` in the keys of shared records. */
export const NO_PRACTICE = 0;

/** Selects the records that the caller can read: those of their practices, and shared ones. */
function isReadable(access: Pick<Access, "practices">, { owner, shared }: Pick<Resource, "owner" | "shared">): Sql {
  if (owner === "everyone") return sql`r.practice_id IS NULL`;
  const isOwn = inList(sql`r.practice_id`, access.practices);
  return shared ? sql`(${isOwn} OR r.practice_id IS NULL)` : isOwn;
}

/** @throws NotFoundError if the record is absent or deleted, or the caller can't read it */
export async function getRecord<D extends Data>(
  access: Access,
  resource: Resource<D>,
  id: number,
  { read = db, lock = empty }: { read?: Db; lock?: Sql } = {},
): Promise<RecordRow<D>> {
  const record = await read.first<RecordRow<D>>(sql`
    SELECT ${COLUMNS} FROM resource_record r
    WHERE r.id = ${id} AND r.resource = ${resource.name} AND ${isReadable(access, resource)}
      AND r.deleted_date IS NULL ${lock}`);
  if (!record) throw new NotFoundError(resource.noun);
  return record;
}

/** Returns those of these records that the caller can read and that are not deleted. */
export async function findRecords<D extends Data>(
  access: Access,
  resource: Resource<D>,
  ids: readonly number[],
): Promise<RecordRow<D>[]> {
  return db.rows<RecordRow<D>>(sql`
    SELECT ${COLUMNS} FROM resource_record r
    WHERE r.id = ANY(${[...ids]}::bigint[]) AND r.resource = ${resource.name} AND ${isReadable(access, resource)}
      AND r.deleted_date IS NULL`);
}

/** Locks the records with these IDs that the caller can change, for the rest of the transaction. */
export async function lockRecords(
  tx: Db,
  access: Access,
  resource: Resource,
  ids: readonly number[],
): Promise<WritableRecord[]> {
  return tx.rows<WritableRecord>(sql`
    SELECT ${COLUMNS} FROM resource_record r
    WHERE r.id = ANY(${[...ids]}::bigint[]) AND r.resource = ${resource.name} AND ${inList(sql`r.practice_id`, access.practices)}
      AND r.deleted_date IS NULL ORDER BY r.id FOR NO KEY UPDATE`);
}

/** Reads a record by the field that identifies it in paths (`pathField`). @throws NotFoundError */
export async function getRecordByPathField(access: Access, resource: Resource, name: string): Promise<RecordRow> {
  const record = await db.first<RecordRow>(sql`
    SELECT ${COLUMNS} FROM resource_key k JOIN resource_record r ON r.id = k.record_id
    WHERE k.resource = ${resource.name} AND k.field = ${resource.pathField} AND k.value = ${toKey(name)}
      AND ${inList(sql`k.practice_id`, [...access.practices, NO_PRACTICE])} AND ${isReadable(access, resource)}
      AND r.deleted_date IS NULL`);
  if (!record) throw new NotFoundError(resource.noun);
  return record;
}

/**
 * Finds the owner of a record that the caller can access, or returns null if there is no such record. With a lock, neither
 * changes until the transaction ends, and writes that add to the record wait for each other.
 */
export async function findRecordOwner(
  read: Db,
  access: Access,
  { resource, id, lock = empty }: { resource: string; id: unknown; lock?: Sql },
): Promise<Pick<RecordRow, "practice_id" | "patient_id"> | null> {
  return read.first(sql`
    SELECT r.practice_id, r.patient_id FROM resource_record r
    WHERE r.id = ${id} AND r.resource = ${resource}
      AND (${inList(sql`r.practice_id`, access.practices)} OR r.practice_id IS NULL) AND r.deleted_date IS NULL
    ${lock}`);
}

/** Returns which of these records belong to another patient. */
export async function findRecordsOfOthers(
  read: Db,
  { patientId, ids }: { patientId: number; ids: readonly number[] },
): Promise<number[]> {
  const rows = await read.rows(
    kysely
      .selectFrom("resource_record")
      .select("id")
      .where("id", "=", anyOf(ids))
      .where("patient_id", "<>", patientId)
      .orderBy("id"),
  );
  return rows.map(({ id }) => id);
}

/** Lists the records of these patients that the caller can read, in the order of their IDs. */
export async function listRecordsOfPatients<D extends Data>(
  access: Access,
  resource: Resource<D>,
  patientIds: readonly number[],
): Promise<RecordRow<D>[]> {
  return db.rows<RecordRow<D>>(sql`
    SELECT ${COLUMNS} FROM resource_record r
    WHERE ${inList(sql`r.patient_id`, patientIds)} AND r.resource = ${resource.name} AND ${isReadable(access, resource)}
      AND r.deleted_date IS NULL ORDER BY r.id`);
}

/** Creates a reader for the hooks of resources. It finds records of these practices and shared ones, and can lock them. */
export function createReader(read: Db, practices: readonly number[], lock = empty): Reader {
  const reachable = sql`(${inList(sql`r.practice_id`, practices)} OR r.practice_id IS NULL) AND r.deleted_date IS NULL`;
  const idsWhere = (resource: ResourceRef, field: string, values: readonly (number | string)[]) => sql`
    SELECT k.record_id FROM resource_key k
    WHERE k.resource = ${resource.name} AND k.field = ${field} AND ${inList(sql`k.practice_id`, [...practices, NO_PRACTICE])}
      AND ${inList(sql`k.value`, [...new Set(values)].map(toKey))}`;
  return {
    async recordsById<D extends Data>(resource: ResourceRef<D>, ids: readonly number[]) {
      const rows = await read.rows<RecordRow<D>>(sql`
        SELECT ${COLUMNS} FROM resource_record r
        WHERE ${inList(sql`r.id`, [...new Set(ids)])} AND r.resource = ${resource.name} AND ${reachable} ${lock}`);
      return new Map(rows.map((row) => [row.id, row]));
    },
    recordsWhere: (resource, field, values) =>
      read.rows(sql`
        SELECT ${COLUMNS} FROM resource_record r
        WHERE ${reachable} AND r.id IN (${idsWhere(resource, field, values)}) ORDER BY r.id ${lock}`),
    async sizeWhere(resource, field, value) {
      const found = await read.first<{ size: number }>(sql`
        SELECT coalesce(sum(${SIZE}), 0)::int AS size FROM resource_record r
        WHERE ${reachable} AND r.id IN (${idsWhere(resource, field, [value])})`);
      return found?.size ?? 0;
    },
    recordsOfPatient: (resource, patientId) =>
      read.rows(sql`
        SELECT ${COLUMNS} FROM resource_record r
        WHERE r.patient_id = ${patientId} AND r.resource = ${resource.name} AND ${reachable} ORDER BY r.id ${lock}`),
    async filesById(ids) {
      const rows = await read.rows<FileContent & Pick<Row<"resource_file">, "id">>(sql`
        SELECT f.id, f.filename, f.content_type, f.content FROM resource_file f
        JOIN resource_record r ON r.id = f.record_id WHERE ${inList(sql`f.id`, [...new Set(ids)])} AND ${reachable}`);
      return new Map(rows.map(({ id, ...file }) => [id, file]));
    },
    timezone: (practiceId) => findTimezone(read, practiceId),
  };
}

/**
 * Creates a reader for lookups that a write depends on. The records it finds can't be changed or deleted until the write is
 * committed. Without the lock, a concurrent write could change them in between.
 */
export function createLockingReader(tx: Db, practices: readonly number[]): Reader {
  return createReader(tx, practices, sql`FOR SHARE OF r`);
}

/** Caches the results of a function by its arguments, which must be JSON values. */
export function memoize<A extends unknown[], T>(find: (...args: A) => Promise<T>): (...args: A) => Promise<T> {
  const known = new Map<string, Promise<T>>();
  return (...args) => {
    const key = JSON.stringify(args);
    const result = known.get(key) ?? find(...args);
    known.set(key, result);
    return result;
  };
}

/** Caches the results of a reader. Use it only while nothing is written. */
export function memoizeReader(reader: Reader): Reader {
  const known = new Map<string, Promise<unknown>>();
  const cached = <T>(key: string, find: () => Promise<T>): Promise<T> => {
    // A key names the lookup with all its arguments, so it always has the same type.
    const result = (known.get(key) as Promise<T> | undefined) ?? find();
    known.set(key, result);
    return result;
  };
  return {
    recordsById: (resource, ids) => cached(`records ${resource.name} ${ids}`, () => reader.recordsById(resource, ids)),
    recordsWhere: (resource, field, values) =>
      cached(`where ${JSON.stringify([resource.name, field, values])}`, () =>
        reader.recordsWhere(resource, field, values),
      ),
    sizeWhere: (resource, field, value) => reader.sizeWhere(resource, field, value),
    recordsOfPatient: (resource, patientId) =>
      cached(`patient ${resource.name} ${patientId}`, () => reader.recordsOfPatient(resource, patientId)),
    filesById: (ids) => cached(`files ${ids}`, () => reader.filesById(ids)),
    timezone: (practiceId) => cached(`timezone ${practiceId}`, () => reader.timezone(practiceId)),
  };
}

/** Returns a reader with the caller's access, outside of any transaction. */
export function readerFor({ practices }: Access): Reader {
  return createReader(db, practices);
}

/** Reads a record that is nested below another. @throws NotFoundError if it is absent or belongs to another record */
export async function getNestedRecord<D extends Data>(
  access: Access,
  resource: Resource<D>,
  { id, field, of }: { id: number; field: keyof D; of: number },
): Promise<RecordRow<D>> {
  const record = await getRecord(access, resource, id);
  if (record.data[field] !== of) throw new NotFoundError(resource.noun);
  return record;
}

/** Builds the response with a file of a record that the caller can read. @throws NotFoundError */
export async function getFile(access: Access, id: number): Promise<NonNullable<Reply["file"]>> {
  const file = (await readerFor(access).filesById([id])).get(id);
  if (!file) throw new NotFoundError("file");
  return { bytes: file.content, contentType: file.content_type, filename: file.filename };
}

/**
 * Reads a file with the patient and practice of its record. Returns null if there is no such file or its record was deleted.
 * Checks no permissions, so call it only for requests with a signed link.
 */
export async function findLinkedFile(
  id: number,
): Promise<(FileContent & Pick<RecordRow, "patient_id" | "practice_id">) | null> {
  return db.first(
    kysely
      .selectFrom("resource_file as f")
      .innerJoin("resource_record as r", "r.id", "f.record_id")
      .select(["f.filename", "f.content_type", "f.content", "r.patient_id", "r.practice_id"])
      .where("f.id", "=", id)
      .where("r.deleted_date", "is", null),
  );
}

/** Reads the only record of a patient. @throws NotFoundError if there is no such patient, or no record */
export async function getSingleton<D extends Data>(
  access: Access,
  resource: Resource<D>,
  patientId: number,
): Promise<RecordRow<D>> {
  await getPatient(access, patientId);
  const [record] = await readerFor(access).recordsOfPatient(resource, patientId);
  if (!record) throw new NotFoundError(resource.noun);
  return record;
}

/** Returns which of these patients have records, including deleted ones. */
export async function listPatientsWithRecords(read: Db, ids: readonly number[]): Promise<Set<number>> {
  const rows = await read.rows(
    kysely.selectFrom("resource_record").select("patient_id").distinct().where("patient_id", "=", anyOf(ids)),
  );
  return new Set(rows.flatMap(({ patient_id }) => patient_id ?? []));
}

type FieldList = readonly (readonly [name: string, field: Field])[];

/** Caches the fields of responses, which are the same for every record. */
const fieldLists = new WeakMap<Pick<Resource, "fields" | "views">, Map<ViewName, FieldList>>();

function listFields(resource: Resource, view: ViewName): FieldList {
  const views = fieldLists.get(resource) ?? new Map<ViewName, FieldList>();
  fieldLists.set(resource, views);
  const fields = views.get(view) ?? Object.entries(viewFields(resource, view));
  views.set(view, fields);
  return fields;
}

/**
 * Converts a record to its form in responses. Fields that were never set have their initial values.
 *
 * @param replaced values to return instead of the stored ones
 */
export function toRecordDto(
  resource: Resource,
  view: ViewName,
  row: Pick<RecordRow, "data"> & Partial<RecordRow>,
  replaced: Data = {},
): Data {
  const dto: Record<string, unknown> = {};
  for (const [name, { column, initial }] of listFields(resource, view))
    dto[name] = name in replaced ? replaced[name] : column ? row[column] : (row.data[name] ?? initial);
  return dto;
}

/**
 * Serializes records for a response, with what their declaration adds to the stored data.
 *
 * @param base of the links in the response
 */
export async function serializeRecords<D extends Data>(
  access: Access,
  resource: Resource<D>,
  rows: readonly RecordRow<D>[],
  { view, base }: { view: ViewName; base: URL },
): Promise<Data[]> {
  const replaced = await resource.serialize?.(rows, {
    view,
    reader: readerFor(access),
    link: (path) => new URL(`/api/2.0/${path}`, base).href,
    fileLink: (id) => signedFileUrl(id, base).url,
  });
  return rows.map((row, index) => toRecordDto(resource, view, row, replaced?.[index]));
}

/** The subjects of the data in a response: patients, and practices whose records contain personal data without naming a patient. */
export interface DataSubjects {
  patients: readonly number[];
  unnamed: readonly number[];
}

/** Returns the subjects of the data in these records, for the audit. */
export function dataSubjects(
  { owner, confidential }: Pick<Resource, "owner" | "confidential">,
  rows: readonly Pick<RecordRow, "patient_id" | "practice_id">[],
): DataSubjects {
  const unnamed = rows.flatMap(({ patient_id, practice_id }) => (patient_id === null ? (practice_id ?? []) : []));
  return {
    patients: rows.flatMap(({ patient_id }) => patient_id ?? []),
    unnamed: owner === "patient" || confidential ? [...new Set(unnamed)] : [],
  };
}
