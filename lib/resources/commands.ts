import { auditChange } from "@/lib/audit/commands";
import { isoNow } from "@/lib/clock";
import { insertInto } from "@/lib/db/insert";
import { json, sql } from "@/lib/db/sql";
import { type Tx, transaction } from "@/lib/db/transaction";
import { type FieldErrors, ForbiddenError, ValidationError } from "@/lib/errors";
import { publishEvents } from "@/lib/events/commands/publish-events";
import { appendRecordVersion, type RecordRequest } from "@/lib/history/commands";
import { changedFields, type FieldChanges, type Origin } from "@/lib/history/origin";
import { requireVersion } from "@/lib/history/version";
import type { Access } from "@/lib/oauth/access";
import { findOwner, findOwnerAfter } from "./owner-queries";
import { getRecord, NO_PRACTICE, readerOf } from "./queries";
import { findAbsent } from "./reference-queries";
import { columnOf, dataOf, EXTERNAL_ID, fieldsOf, keyFieldsOf, keyOf, referencesOf } from "./rules";
import type { Change, Data, FileContent, OwnRecord, RecordRow, Resource, Write } from "./schema";

type KeptFile = FileContent & { id: number };

/**
 * Creates a record.
 *
 * @throws ValidationError naming the field: a patient, practice or other record the caller has no right to, or that is
 *   absent from the record's practice
 */
export async function createRecord(
  caller: { access: Access; origin: Origin },
  resource: Resource,
  sent: Data,
): Promise<RecordRow> {
  return transaction((tx) => insertRecordOf(tx, caller, resource, sent));
}

/** The same within a transaction of the caller's. */
export async function insertRecordOf(
  tx: Tx,
  { access, origin }: { access: Access; origin: Origin },
  resource: Resource,
  sent: Data,
): Promise<RecordRow> {
  const owner = await findOwner(tx, access, resource, sent);
  const merged = dataOf(resource, "create", sent);
  await requireReferences(tx, resource, "create", { ...owner, data: merged });
  const now = isoNow();
  const id = await nextId(tx, "resource_record");
  const files: KeptFile[] = [];
  const data = await prepared(tx, resource, { id, ...owner, data: merged, before: null, sent, now }, files);
  const times = { created_date: now, modified_date: now, deleted_date: null };
  const record: OwnRecord = {
    ...{ id, practice_id: owner.practiceId, patient_id: owner.patientId, data, version: 1, ...times },
  };
  await tx.run(sql`
    INSERT INTO resource_record (id, resource, practice_id, patient_id, data, created_date, modified_date)
    VALUES (${id}, ${resource.name}, ${owner.practiceId}, ${owner.patientId}, ${json(data)}, ${now}, ${now})`);
  await writeFiles(tx, record, files);
  await writeKeys(tx, resource, record);
  await append(tx, resource, { record, before: null, kind: "created", origin, now });
  await applyEffects(tx, { access, origin }, resource, { kind: "created", record, before: null, sent });
  return record;
}

/**
 * Sets the fields that were sent; those left out stay. A write that changes nothing makes no version.
 *
 * @throws NotFoundError, VersionConflictError
 * @throws ForbiddenError where the record is everybody's
 * @throws ValidationError as createRecord, and where it would move to another patient or practice
 */
export async function updateRecordOf(request: RecordRequest, resource: Resource, sent: Data): Promise<RecordRow> {
  return transaction((tx) => changeRecordOf(tx, request, resource, sent));
}

/** The same within a transaction of the caller's. */
export async function changeRecordOf(
  tx: Tx,
  request: RecordRequest,
  resource: Resource,
  sent: Data,
): Promise<RecordRow> {
  const { access, origin } = request;
  const before = await lockRecord(tx, request, resource);
  const owner = await findOwnerAfter(tx, access, resource, { before, sent });
  const merged = dataOf(resource, "update", sent, before.data);
  await requireReferences(tx, resource, "update", { ...owner, data: merged, before: before.data });
  const now = isoNow();
  const files: KeptFile[] = [];
  const data = await prepared(
    tx,
    resource,
    { id: before.id, ...owner, data: merged, before: before.data, sent, now },
    files,
  );
  const times = { version: before.version + 1, modified_date: now };
  const record = { ...before, patient_id: owner.patientId, data, ...times };
  if (Object.keys(changesOf({ before, record })).length === 0) {
    await applyEffects(tx, request, resource, { kind: "updated", record: before, before, sent });
    return before;
  }
  await tx.run(sql`
    UPDATE resource_record SET patient_id = ${record.patient_id}, data = ${json(data)}, version = ${record.version},
      modified_date = ${now}
    WHERE id = ${before.id}`);
  await writeFiles(tx, record, files);
  await writeKeys(tx, resource, record);
  await append(tx, resource, { record, before, kind: "updated", origin, now });
  await applyEffects(tx, request, resource, { kind: "updated", record, before, sent });
  return record;
}

/**
 * Deletes a record: it answers 404 from now on, and nothing of it is lost.
 *
 * @throws NotFoundError, VersionConflictError
 * @throws ForbiddenError where the record is everybody's
 */
export async function deleteRecordOf(request: RecordRequest, resource: Resource): Promise<void> {
  await transaction((tx) => removeRecordOf(tx, request, resource));
}

/** The same within a transaction of the caller's. */
export async function removeRecordOf(tx: Tx, request: RecordRequest, resource: Resource): Promise<void> {
  const before = await lockRecord(tx, request, resource);
  const now = isoNow();
  const record = { ...before, version: before.version + 1, modified_date: now, deleted_date: now };
  await tx.run(sql`
    UPDATE resource_record SET deleted_date = ${now}, version = ${record.version}, modified_date = ${now}
    WHERE id = ${before.id}`);
  await tx.run(sql`DELETE FROM resource_key WHERE record_id = ${before.id}`);
  await append(tx, resource, { record, before, kind: "deleted", origin: request.origin, now });
  await applyEffects(tx, request, resource, { kind: "deleted", record, before, sent: {} });
}

/** The writes on other records that a write brings with it. */
async function applyEffects(
  tx: Tx,
  caller: { access: Access; origin: Origin },
  { effects }: Resource,
  change: Omit<Change, "read">,
): Promise<void> {
  if (!effects) return;
  const read = readerOf(tx, [change.record.practice_id as number]);
  for (const effect of await effects({ ...change, read })) {
    const { resource } = effect;
    if (effect.kind === "create") await atEntry(effect.at, () => insertRecordOf(tx, caller, resource, effect.data));
    else {
      const request = { ...caller, id: effect.id, ifMatch: null };
      if (effect.kind === "delete") await removeRecordOf(tx, request, resource);
      else await changeRecordOf(tx, request, resource, effect.data);
    }
  }
}

/** What is wrong with an entry of a list is told at its place. */
async function atEntry(at: readonly [field: string, index: number] | undefined, work: () => Promise<unknown>) {
  try {
    await work();
  } catch (error) {
    if (!at || !(error instanceof ValidationError)) throw error;
    const [field, index] = at;
    throw new ValidationError({ [field]: [...Array<FieldErrors>(index).fill({}), error.fields as FieldErrors] });
  }
}

/** Locks a record for the rest of the transaction: every write on one that exists begins with it. */
async function lockRecord(tx: Tx, { access, id, ifMatch }: RecordRequest, resource: Resource): Promise<OwnRecord> {
  const record = await getRecord(access, resource, id, { read: tx, lock: sql`FOR NO KEY UPDATE` });
  if (record.practice_id === null) throw new ForbiddenError("This record is every practice's: it can only be read.");
  requireVersion(ifMatch, record.version);
  return record as OwnRecord;
}

/** What the record holds once its declaration has set what the server sets. */
async function prepared(
  tx: Tx,
  { prepare }: Resource,
  write: Omit<Write, "read" | "keepFile" | "nextId">,
  files: KeptFile[],
): Promise<Data> {
  if (!prepare) return write.data;
  const keepFile = async (file: FileContent) => {
    const id = await nextId(tx, "resource_file");
    files.push({ ...file, id });
    return id;
  };
  return prepare({
    ...write,
    read: readerOf(tx, [write.practiceId]),
    keepFile,
    nextId: () => nextId(tx, "resource_record"),
  });
}

async function nextId(tx: Tx, table: "resource_record" | "resource_file"): Promise<number> {
  const next = await tx.first<{ id: number }>(sql`SELECT nextval(pg_get_serial_sequence(${table}, 'id')) AS id`);
  return (next as { id: number }).id;
}

/** Every record referred to exists in the practice; what was referred to before stays allowed, though it was deleted since. */
async function requireReferences(
  tx: Tx,
  resource: Resource,
  view: "create" | "update",
  { practiceId, data, before = {} }: { practiceId: number; data: Data; before?: Data },
): Promise<void> {
  const fields = { ...resource.fields, ...fieldsOf(resource, view) };
  for (const { field, target, ids } of referencesOf(fields, data)) {
    const earlier = new Set([before[field]].flat());
    const fresh = ids.filter((id) => !earlier.has(id));
    if (fresh.length === 0) continue;
    const absent = await findAbsent(tx, { target, practiceId, ids: fresh });
    if (absent.length > 0) {
      throw new ValidationError({ [field]: [`No such record of ${target} in this practice: ${absent.join(", ")}.`] });
    }
  }
}

async function writeFiles(tx: Tx, { id: record_id, modified_date }: RecordRow, files: KeptFile[]): Promise<void> {
  for (const file of files) {
    await tx.run(sql`
      INSERT INTO resource_file (id, record_id, filename, content_type, content, created_date)
      VALUES (${file.id}, ${record_id}, ${file.filename}, ${file.content_type}, ${file.content}, ${modified_date})`);
  }
}

/** The keys of a record: one for each value of each field that has keys; who was never loaded has no name in a file. */
export function keyRowsOf(resource: Resource, record: RecordRow) {
  const held = (field: string) => {
    const derived = resource.keys?.[field];
    const column = columnOf(resource, field);
    return derived ? derived.of(record.data) : column ? record[column] : record.data[field];
  };
  const fields = keyFieldsOf(resource).filter((field) => field !== EXTERNAL_ID || held(field) !== undefined);
  return fields.flatMap((field) =>
    [...new Set([held(field)].flat().map(keyOf))].map((value) => ({
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

async function writeKeys(tx: Tx, resource: Resource, record: RecordRow): Promise<void> {
  await tx.run(sql`DELETE FROM resource_key WHERE record_id = ${record.id}`);
  const rows = keyRowsOf(resource, record);
  if (rows.length > 0) await tx.run(insertInto("resource_key", rows));
}

async function append(
  tx: Tx,
  resource: Resource,
  change: {
    record: OwnRecord;
    before: RecordRow | null;
    kind: "created" | "updated" | "deleted";
    origin: Origin;
    now: string;
  },
): Promise<void> {
  const { record, before, kind, origin, now } = change;
  await appendRecordVersion(tx, {
    type: resource.name,
    id: record.id,
    practiceId: record.practice_id,
    version: record.version,
    kind,
    changes: changesOf({ before, record }),
    origin,
    occurredDate: now,
  });
  const { partOf } = resource;
  if (partOf) {
    const whole = { type: "saved", resource: partOf.resource, ids: [partOf.idOf(record)] } as const;
    await publishEvents(tx, { ...whole, practiceId: record.practice_id, origin });
  }
  if (record.patient_id !== null) await auditChange(tx, origin, [record.patient_id]);
}

/** What a version says has changed. */
function changesOf({ before, record }: Pick<Change, "before" | "record">): FieldChanges {
  if (record.deleted_date !== null) return { deleted_date: { old: null, new: record.deleted_date } };
  const isHandedOver = before !== null && before.patient_id !== record.patient_id;
  const patient: FieldChanges = isHandedOver ? { patient: { old: before.patient_id, new: record.patient_id } } : {};
  return { ...changedFields(before?.data ?? null, record.data), ...patient };
}
