import { auditChange } from "@/lib/access/audit/commands";
import { changedFields, type FieldChanges, type Origin } from "@/lib/access/identity/access";
import { isoNow } from "@/lib/platform/clock";
import { anyOf, kysely } from "@/lib/platform/db/kysely";
import type { Row } from "@/lib/platform/db/rows";
import { type Db, inList, sql } from "@/lib/platform/db/sql";
import type { Tx } from "@/lib/platform/db/transaction";
import type { Data } from "./data-types";
import { type Declarations, type LoadedRow, listMentions, type Mention, mergeRow, type RowPlan } from "./load-rows";
import { NO_PRACTICE } from "./queries";
import { findAbsent } from "./reference-queries";
import { appendChanges, insertRows, nextIds, type RowChange, replaceKeys } from "./row-commands";
import { bulkLoadKey } from "./rules";
import type { RecordRow, Resource } from "./schema";

/** The target and options of a load. */
export interface Load extends LoadTarget {
  declarations: Declarations;
  plan: RowPlan;
  origin: Origin;
}

export interface BatchRow extends LoadedRow {
  line: number;
}

/** A row that was not loaded. */
export interface Rejection {
  line: number;
  reason: string;
}

/** The results of a batch. */
export interface BatchResult {
  created: number;
  updated: number;
  unchanged: number;
  rejections: Rejection[];
  /** The records that the rows describe. */
  ids: number[];
}

/** A record after the batch, and before it: null for a new one. */
interface Change {
  record: RecordRow;
  before: RecordRow | null;
}

/**
 * Creates or updates the records that rows describe, and restores deleted ones. Records are identified by their keys. Each
 * change is a version, and changes to a practice's records notify its subscribers.
 *
 * @param rows with different keys
 * @param isLoaded whether an earlier row described this record
 */
export async function loadBatch(
  tx: Tx,
  load: Load,
  rows: readonly BatchRow[],
  isLoaded: (id: number) => boolean,
): Promise<BatchResult> {
  const { plan, practiceId } = load;
  const mentions = rows.flatMap((row) => listMentions(plan, row.given).concat(patientMention(row)));
  const find = await findMentioned(tx, load.declarations, { practiceId, mentions });
  const before = await lockByKeys(tx, load, [...new Set(rows.map(({ key }) => key))]);
  const rejections: Rejection[] = [];
  const valid = rows.filter((row) => {
    const reason = findProblem(load, row, { find, before: before.get(row.key), isLoaded });
    if (reason !== null) rejections.push({ line: row.line, reason });
    return reason === null;
  });
  const now = isoNow();
  const added = valid.filter(({ key }) => !before.has(key));
  const ids = await nextIds(tx, "resource_record", added.length);
  const idOf = new Map(added.map(({ key }, index) => [key, ids[index]]));
  const changes = valid.map((row): Change => {
    const known = before.get(row.key) ?? null;
    const data = mergeRow(plan, row.given, { before: known?.data ?? {}, idOf: find });
    return { before: known, record: toRecord(load, row, { known, data, now, id: idOf.get(row.key) }) };
  });
  const created = changes.filter((change) => change.before === null);
  const updated = changes.filter(({ before: known, record }) => known !== null && record.version > known.version);
  await writeRecords(tx, load, { created, updated, now });
  return {
    created: created.length,
    updated: updated.length,
    unchanged: valid.length - created.length - updated.length,
    rejections,
    ids: changes.map(({ record }) => record.id),
  };
}

const PATIENT = "patient";

function patientMention({ patientId }: BatchRow): Mention[] {
  return patientId === null ? [] : [{ field: PATIENT, target: "patients", by: { id: patientId } }];
}

/** Returns why a row can't be loaded, or null if it can. */
function findProblem(
  { plan }: Load,
  row: BatchRow,
  known: { find: Find; before: RecordRow | undefined; isLoaded: (id: number) => boolean },
): string | null {
  const { find, before, isLoaded } = known;
  if (before && isLoaded(before.id)) return "Describes the same record as an earlier line.";
  if (before && row.patientId !== null && before.patient_id !== row.patientId) {
    return "patient: A record can't be moved to another patient.";
  }
  const absent = [...listMentions(plan, row.given), ...patientMention(row)].find((mention) => !find(mention));
  if (!absent) return null;
  const { field, target, by } = absent;
  return `${field}: No record of ${target} has the ${"id" in by ? `ID ${by.id}` : `key "${by.key}"`}.`;
}

function toRecord(
  { practiceId }: Load,
  { patientId }: BatchRow,
  { known, data, now, id }: { known: RecordRow | null; data: Data; now: string; id: number | undefined },
): RecordRow {
  if (known) {
    const isSame = known.deleted_date === null && Object.keys(changedFields(known.data, data)).length === 0;
    return isSame ? known : { ...known, data, version: known.version + 1, modified_date: now, deleted_date: null };
  }
  if (id === undefined) throw new Error("a new record has no ID");
  return {
    id,
    practice_id: practiceId,
    patient_id: patientId,
    data,
    version: 1,
    created_date: now,
    modified_date: now,
    deleted_date: null,
  };
}

async function writeRecords(
  tx: Tx,
  load: Load,
  { created, updated, now }: { created: readonly Change[]; updated: readonly Change[]; now: string },
): Promise<void> {
  const changes = [...created, ...updated];
  if (changes.length === 0) return;
  const { resource } = load;
  const recordsOf = (some: readonly Change[]) => some.map(({ record }) => record);
  if (created.length > 0) await insertRows(tx, resource, recordsOf(created));
  if (updated.length > 0) {
    const rows = updated.map(({ record: { id, data, version, modified_date } }) => ({
      id,
      data,
      version,
      modified_date,
    }));
    await tx.run(sql`
      UPDATE resource_record r SET data = u.data, version = u.version, modified_date = u.modified_date, deleted_date = NULL
      FROM json_populate_recordset(NULL::resource_record, ${JSON.stringify(rows)}::json) u WHERE r.id = u.id`);
    await replaceKeys(tx, resource, recordsOf(updated));
  }
  await append(tx, load, now, changes.map(toRowChange));
}

function toRowChange({ record, before }: Change): RowChange {
  const restored: FieldChanges = before?.deleted_date ? { deleted_date: { old: before.deleted_date, new: null } } : {};
  const changes = { ...changedFields(before?.data ?? null, record.data), ...restored };
  return { record, kind: before ? "updated" : "created", changes };
}

/** Appends versions and events of a batch, and one audit entry for all its patients. */
async function append(
  tx: Tx,
  { resource, practiceId, origin }: Load,
  now: string,
  changes: readonly RowChange[],
): Promise<void> {
  await appendChanges(tx, resource, { practiceId, origin, now }, changes);
  const patients = [...new Set(changes.flatMap(({ record }) => record.patient_id ?? []))];
  if (patients.length > 0) await auditChange(tx, origin, patients);
}

/**
 * Deletes records as a client's DELETE does, but keeps their keys: lists of deleted records are filtered by them, and the same
 * records are restored if a file contains them again.
 */
export async function removeRecords(tx: Tx, load: Load, ids: readonly number[]): Promise<void> {
  const now = isoNow();
  const records = await tx.rows(
    kysely
      .updateTable("resource_record")
      .set((row) => ({ deleted_date: now, modified_date: now, version: row("version", "+", 1) }))
      .where("id", "=", anyOf(ids))
      .where("deleted_date", "is", null)
      .returning(["id", "practice_id", "patient_id", "data", "version"])
      .returning(["created_date", "modified_date", "deleted_date"]),
  );
  const deleted = { deleted_date: { old: null, new: now } };
  const changes = records.map((record) => ({ record, kind: "deleted" as const, changes: deleted }));
  await append(tx, load, now, changes);
}

/** The resource to load, and the practice to load into. */
export interface LoadTarget {
  resource: Resource;
  /** null for shared records. */
  practiceId: number | null;
}

/** Locks the records with these keys for the rest of the transaction, including deleted ones, which rows restore. */
export async function lockByKeys(
  read: Db,
  { resource, practiceId }: LoadTarget,
  keys: readonly string[],
): Promise<Map<string, RecordRow>> {
  const rows = await read.rows<RecordRow & { key: string }>(sql`
    SELECT k.value AS key, r.id, r.practice_id, r.patient_id, r.data, r.version, r.created_date, r.modified_date,
      r.deleted_date
    FROM resource_key k JOIN resource_record r ON r.id = k.record_id
    WHERE k.resource = ${resource.name} AND k.field = ${bulkLoadKey(resource)}
      AND k.practice_id = ${practiceId ?? NO_PRACTICE} AND ${inList(sql`k.value`, keys)}
    ORDER BY r.id DESC FOR NO KEY UPDATE OF r`);
  return new Map(rows.map(({ key, ...record }) => [key, record]));
}

/** The ID of a record with the key that identifies it in files. */
export type KeyedId = Pick<RecordRow, "id"> & { key: Row<"resource_key">["value"] };

/** Lists a page of the records that have a key, by key and ID. Deleted records are omitted. */
export async function listKeys(
  read: Db,
  { resource, practiceId }: LoadTarget,
  page: { after: KeyedId; limit: number },
): Promise<KeyedId[]> {
  return read.rows(sql`
    SELECT k.value AS key, k.record_id AS id FROM resource_key k JOIN resource_record r ON r.id = k.record_id
    WHERE k.resource = ${resource.name} AND k.field = ${bulkLoadKey(resource)}
      AND k.practice_id = ${practiceId ?? NO_PRACTICE} AND r.deleted_date IS NULL
      AND (k.value, k.record_id) > (${page.after.key}, ${page.after.id})
    ORDER BY k.value, k.record_id LIMIT ${page.limit}`);
}

/** Returns the ID of the record that a row refers to, if it exists. */
export type Find = (mention: Mention) => number | undefined;

const mentionKey = ({ target, by }: Mention) => ("id" in by ? `${target}#${by.id}` : `${target}=${by.key}`);

/** Looks up the records that rows refer to, which are records of the practice or shared ones. */
export async function findMentioned(
  read: Db,
  declarations: Declarations,
  { practiceId, mentions }: { practiceId: number | null; mentions: readonly Mention[] },
): Promise<Find> {
  const found = new Map<string, number>();
  for (const target of new Set(mentions.map((mention) => mention.target))) {
    const ofTarget = mentions.filter((mention) => mention.target === target);
    const ids = [...new Set(ofTarget.flatMap(({ by }) => ("id" in by ? [by.id] : [])))];
    const absent =
      ids.length === 0 ? [] : await findAbsent(read, { target, practiceId: practiceId ?? NO_PRACTICE, ids });
    for (const id of ids) if (!absent.includes(id)) found.set(`${target}#${id}`, id);
    const keys = [...new Set(ofTarget.flatMap(({ by }) => ("key" in by ? [by.key] : [])))];
    const resource = declarations.get(target);
    if (!resource || keys.length === 0) continue;
    for (const { key, id } of await listByKeys(read, { resource, practiceId }, keys)) found.set(`${target}=${key}`, id);
  }
  return (mention) => found.get(mentionKey(mention));
}

/** Lists records by their keys. If several records share a key, the one to use comes last: the practice's own, then the oldest. */
async function listByKeys(read: Db, { resource, practiceId }: LoadTarget, keys: readonly string[]): Promise<KeyedId[]> {
  return read.rows(
    kysely
      .selectFrom("resource_key as k")
      .innerJoin("resource_record as r", "r.id", "k.record_id")
      .select(["k.value as key", "k.record_id as id"])
      .where("k.resource", "=", resource.name)
      .where("k.field", "=", bulkLoadKey(resource))
      .where("k.practice_id", "in", [practiceId ?? NO_PRACTICE, NO_PRACTICE])
      .where("k.value", "=", anyOf(keys))
      .where("r.deleted_date", "is", null)
      .orderBy("k.practice_id")
      .orderBy("k.record_id", "desc"),
  );
}
