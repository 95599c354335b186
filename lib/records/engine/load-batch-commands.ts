import { auditChange } from "@/lib/access/audit/commands";
import { changedFields, type FieldChanges, type Origin } from "@/lib/access/identity/access";
import { isoNow } from "@/lib/platform/clock";
import { inList, sql } from "@/lib/platform/db/sql";
import type { Tx } from "@/lib/platform/db/transaction";
import type { Data } from "./data-types";
import { type Find, findMentioned, type LoadTarget, lockByKeys } from "./load-queries";
import { type Declarations, type LoadedRow, listMentions, type Mention, mergeRow, type RowPlan } from "./load-rules";
import { appendChanges, insertRows, nextIds, type RowChange, replaceKeys } from "./row-commands";
import type { RecordRow } from "./schema";

/** What batches are loaded into, and how. */
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

/** Returns why a row can't be loaded, or null. */
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
  const records = await tx.rows<RecordRow>(sql`
    UPDATE resource_record SET deleted_date = ${now}, modified_date = ${now}, version = version + 1
    WHERE ${inList(sql`id`, ids)} AND deleted_date IS NULL
    RETURNING id, practice_id, patient_id, data, version, created_date, modified_date, deleted_date`);
  const deleted = { deleted_date: { old: null, new: now } };
  const changes = records.map((record) => ({ record, kind: "deleted" as const, changes: deleted }));
  await append(tx, load, now, changes);
}
