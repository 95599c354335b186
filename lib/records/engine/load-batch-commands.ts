import { auditChange } from "@/lib/access/audit/commands";
import { changedFields, type FieldChanges, type Origin } from "@/lib/access/identity/origin";
import { isoNow } from "@/lib/platform/clock";
import { among } from "@/lib/platform/db/page";
import { sql } from "@/lib/platform/db/sql";
import type { Tx } from "@/lib/platform/db/transaction";
import { findMentioned, type Home, lockNamed } from "./load-queries";
import { type Declarations, type LoadedRow, loadedData, type Mention, mentionsOf, type RowPlan } from "./load-rules";
import { appendChanges, insertRows, nextIds, type RowChange, replaceKeys } from "./row-commands";
import type { Data, RecordRow } from "./schema";

/** Where a batch goes. */
export interface Load extends Home {
  declarations: Declarations;
  plan: RowPlan;
  origin: Origin;
}

export interface BatchRow extends LoadedRow {
  line: number;
}

export interface Refusal {
  line: number;
  reason: string;
}

/** What a batch came to. */
export interface BatchResult {
  created: number;
  updated: number;
  unchanged: number;
  refusals: Refusal[];
  /** Records that the rows are of. */
  ids: number[];
}

/** A record as it will be; before: null for a new one. */
interface Change {
  record: RecordRow;
  before: RecordRow | null;
}

/**
 * Brings records to what rows say of them, by the key each is known by: creates those there are none of, changes those that
 * differ, brings back those that were removed. Each change is a version, and what is a practice's is told to those who
 * subscribed to it.
 *
 * @param rows without two of the same key
 * @param isTaken whether an earlier row was of this record
 */
export async function loadBatch(
  tx: Tx,
  load: Load,
  rows: readonly BatchRow[],
  isTaken: (id: number) => boolean,
): Promise<BatchResult> {
  const { plan, practiceId } = load;
  const mentions = rows.flatMap((row) => mentionsOf(plan, row.given).concat(mentionOfPatient(row)));
  const found = await findMentioned(tx, load.declarations, { practiceId, mentions });
  const before = await lockNamed(tx, load, [...new Set(rows.map(({ key }) => key))]);
  const refusals: Refusal[] = [];
  const taken = rows.filter((row) => {
    const reason = problemOf(load, row, { found, before: before.get(row.key), isTaken });
    if (reason !== null) refusals.push({ line: row.line, reason });
    return reason === null;
  });
  const now = isoNow();
  const fresh = await nextIds(tx, "resource_record", taken.filter(({ key }) => !before.has(key)).length);
  const records = taken.map((row): Change => {
    const known = before.get(row.key) ?? null;
    const data = loadedData(plan, row.given, {
      before: known?.data ?? {},
      idOf: (mention) => found(mention) as number,
    });
    return { before: known, record: recordOf(load, row, { known, data, now, id: fresh }) };
  });
  const created = records.filter((change) => change.before === null);
  const updated = records.filter(({ before: known, record }) => known !== null && record.version > known.version);
  await writeRecords(tx, load, { created, updated, now });
  return {
    ...{ created: created.length, updated: updated.length, unchanged: taken.length - created.length - updated.length },
    ...{ refusals, ids: records.map(({ record }) => record.id) },
  };
}

const PATIENT = "patient";

function mentionOfPatient({ patientId }: BatchRow): Mention[] {
  return patientId === null ? [] : [{ field: PATIENT, target: "patients", by: { id: patientId } }];
}

/** Why a row can't be taken; null where it can. */
function problemOf(
  { plan }: Load,
  row: BatchRow,
  known: {
    found: (mention: Mention) => number | undefined;
    before: RecordRow | undefined;
    isTaken: (id: number) => boolean;
  },
): string | null {
  const { found, before, isTaken } = known;
  if (before && isTaken(before.id)) return "Is of the same record as an earlier line.";
  if (before && row.patientId !== null && before.patient_id !== row.patientId) {
    return "patient: A record can't be moved to another patient.";
  }
  const absent = [...mentionsOf(plan, row.given), ...mentionOfPatient(row)].find((mention) => !found(mention));
  if (!absent) return null;
  const { field, target, by } = absent;
  return `${field}: There is no record of ${target} that is known by ${"id" in by ? `the id ${by.id}` : `"${by.key}"`}.`;
}

function recordOf(
  { practiceId }: Load,
  { patientId }: BatchRow,
  { known, data, now, id }: { known: RecordRow | null; data: Data; now: string; id: number[] },
): RecordRow {
  if (known) {
    const isSame = known.deleted_date === null && Object.keys(changedFields(known.data, data)).length === 0;
    return isSame ? known : { ...known, data, version: known.version + 1, modified_date: now, deleted_date: null };
  }
  const times = { created_date: now, modified_date: now, deleted_date: null };
  return { id: id.shift() as number, practice_id: practiceId, patient_id: patientId, data, version: 1, ...times };
}

async function writeRecords(
  tx: Tx,
  load: Load,
  { created, updated, now }: { created: readonly Change[]; updated: readonly Change[]; now: string },
): Promise<void> {
  const changes = [...created, ...updated];
  if (changes.length === 0) return;
  const { resource } = load;
  if (created.length > 0) await insertRows(tx, resource, recordsIn(created));
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
    await replaceKeys(tx, resource, recordsIn(updated));
  }
  await append(tx, load, now, changes.map(changeOf));
}

const recordsIn = (changes: readonly Change[]) => changes.map(({ record }) => record);

function changeOf({ record, before }: Change): RowChange {
  const restored: FieldChanges = before?.deleted_date ? { deleted_date: { old: before.deleted_date, new: null } } : {};
  const changes = { ...changedFields(before?.data ?? null, record.data), ...restored };
  return { record, kind: before ? "updated" : "created", changes };
}

/** Versions and events of a batch, and one entry of the audit for all its patients. */
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
 * Deletes records as a client's DELETE does, save that their keys stay: the list of what was deleted is filtered by them, and
 * the file that has them again brings the same records back.
 */
export async function removeRecords(tx: Tx, load: Load, ids: readonly number[]): Promise<void> {
  const now = isoNow();
  const records = await tx.rows<RecordRow>(sql`
    UPDATE resource_record SET deleted_date = ${now}, modified_date = ${now}, version = version + 1
    WHERE ${among(sql`id`, ids)} AND deleted_date IS NULL
    RETURNING id, practice_id, patient_id, data, version, created_date, modified_date, deleted_date`);
  const deleted = { deleted_date: { old: null, new: now } };
  await append(
    tx,
    load,
    now,
    records.map((record) => ({ record, kind: "deleted", changes: deleted })),
  );
}
