import { auditChanges } from "@/lib/access/audit/commands";
import type { RecordRequest } from "@/lib/access/history/commands";
import type { Access } from "@/lib/access/identity/access";
import { changedFields, type FieldChanges, type Origin } from "@/lib/access/identity/origin";
import { isoNow } from "@/lib/platform/clock";
import { json, sql } from "@/lib/platform/db/sql";
import { type Tx, transaction } from "@/lib/platform/db/transaction";
import { type FieldErrors, ForbiddenError, ValidationError } from "@/lib/platform/errors";
import type { Requester } from "@/lib/platform/jobs/task-queue";
import { type ProcessedImage, processImages } from "@/lib/platform/storage/process-image";
import { requireVersion } from "@/lib/platform/versions";
import { findOwner, findOwnerAfter, namesOwner, type Owner } from "./owner-queries";
import { createLockingReader, createReader, getRecord, lockRecords, memoize, memoizeReader } from "./queries";
import { findAbsent, findOfOthers, lockPracticeOf } from "./reference-queries";
import {
  appendChanges,
  deleteKeys,
  insertFiles,
  insertRows,
  type KeptFile,
  nextIds,
  replaceKeys,
} from "./row-commands";
import { listReferences, mergeData, type Reference, referenceErrors, requireSize } from "./rules";
import type { Change, Data, Effect, FileContent, RecordRow, Resource, WritableRecord, Write } from "./schema";

/** Who writes. */
interface Caller {
  access: Access;
  origin: Origin;
  /** Who waits for the images of a body; left out by our own programs. */
  requester?: Requester | undefined;
}

/** Where an entry of a list stands in a body. */
type Place = readonly [field: string, index: number];

/**
 * Creates a record.
 *
 * @throws ValidationError naming the field: a patient, practice or other record the caller has no right to, or that is
 *   absent from the record's practice
 */
export async function createRecord(caller: Caller, resource: Resource, sent: Data): Promise<RecordRow> {
  const images = await decodeImages(caller, resource, sent, (tx) => requireCreatable(tx, caller, resource, sent));
  return transaction((tx) => insertRecord(tx, caller, resource, sent, images));
}

/** The same within a transaction of the caller's, who has decoded the images of the body. */
export async function insertRecord(
  tx: Tx,
  caller: Caller,
  resource: Resource,
  sent: Data,
  images: readonly ProcessedImage[] = [],
): Promise<RecordRow> {
  const [record] = await insertRecords(tx, caller, resource, [{ data: sent, images }]);
  return record as RecordRow;
}

/**
 * Decodes the images of a body, outside of any transaction. What can be refused without looking at them is refused first:
 * `check` runs in a short transaction that is rolled back.
 *
 * @throws ValidationError naming the image's place
 * @throws OverloadedError image_queue_full
 */
export async function decodeImages(
  { requester }: Pick<Caller, "requester">,
  { imagesIn }: Resource,
  sent: Data,
  check: (tx: Tx) => Promise<unknown>,
): Promise<ProcessedImage[]> {
  const { field, images } = imagesIn?.(sent) ?? { field: "", images: [] };
  if (images.length === 0) return [];
  await transaction(check, { rollback: true });
  return processImages(images, { field, requester });
}

/** Checks what a record can be refused for before its images are decoded: its owner, and what it refers to. */
export async function requireCreatable(tx: Tx, { access }: Caller, resource: Resource, sent: Data): Promise<void> {
  const owner = await findOwner(tx, access, resource, namesOwner(resource, sent));
  const data = mergeData(resource, "create", sent);
  await requireReferences(lookupsOf(tx), resource, "create", { ...owner, data });
}

/** Makes records of one resource together: none of them is there yet when another is prepared. */
async function insertRecords(
  tx: Tx,
  caller: Caller,
  resource: Resource,
  entries: readonly { data: Data; at?: Place | undefined; images?: readonly ProcessedImage[] }[],
): Promise<RecordRow[]> {
  const { access, origin } = caller;
  const now = isoNow();
  const ids = await nextIds(tx, "resource_record", entries.length);
  const lookups = lookupsOf(tx);
  const ownerOf = memoize((naming: Data) => findOwner(tx, access, resource, naming));
  const files: KeptFile[] = [];
  const made: { record: WritableRecord; sent: Data }[] = [];
  for (const [index, { data: sent, at, images = [] }] of entries.entries()) {
    const id = ids[index] as number;
    await atEntry(at, async () => {
      const owner = await ownerOf(namesOwner(resource, sent));
      const merged = mergeData(resource, "create", sent);
      await requireReferences(lookups, resource, "create", { ...owner, data: merged });
      const write = { id, ...owner, data: merged, before: null, sent, images, now };
      const data = await prepared(tx, lookups, resource, write, files);
      const times = { created_date: now, modified_date: now, deleted_date: null };
      const owned = { practice_id: owner.practiceId, patient_id: owner.patientId };
      made.push({ record: { id, ...owned, data, version: 1, ...times }, sent });
    });
  }
  const records = made.map(({ record }) => record);
  await insertRows(tx, resource, records);
  await insertFiles(tx, files, now);
  await append(
    tx,
    resource,
    { kind: "created", origin, now },
    records.map((record) => ({ record, before: null })),
  );
  for (const { record, sent } of made)
    await applyEffects(tx, caller, resource, { kind: "created", record, before: null, sent });
  return records;
}

/**
 * Sets the fields that were sent; those left out stay. A write that changes nothing makes no version.
 *
 * @throws NotFoundError, VersionConflictError
 * @throws ForbiddenError where the record is everybody's
 * @throws ValidationError as createRecord, and where it would move to another patient or practice
 */
export async function updateRecord(
  request: RecordRequest & Pick<Caller, "requester">,
  resource: Resource,
  sent: Data,
): Promise<RecordRow> {
  const images = await decodeImages(request, resource, sent, (tx) => lockRecord(tx, request, resource));
  return transaction((tx) => changeRecord(tx, request, resource, sent, images));
}

/** The same within a transaction of the caller's. */
export async function changeRecord(
  tx: Tx,
  request: RecordRequest,
  resource: Resource,
  sent: Data,
  images: readonly ProcessedImage[] = [],
): Promise<RecordRow> {
  const { access, origin } = request;
  const before = await lockRecord(tx, request, resource);
  const owner = await findOwnerAfter(tx, access, resource, { before, sent });
  const merged = mergeData(resource, "update", sent, before.data);
  const lookups = lookupsOf(tx);
  await requireReferences(lookups, resource, "update", { ...owner, data: merged, before: before.data });
  const now = isoNow();
  const files: KeptFile[] = [];
  const write = { id: before.id, ...owner, data: merged, before: before.data, sent, images, now };
  const data = await prepared(tx, lookups, resource, write, files);
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
  await insertFiles(tx, files, now);
  await replaceKeys(tx, resource, [record]);
  await append(tx, resource, { kind: "updated", origin, now }, [{ record, before }]);
  await applyEffects(tx, request, resource, { kind: "updated", record, before, sent });
  return record;
}

/**
 * Deletes a record: it answers 404 from now on, and nothing of it is lost.
 *
 * @throws NotFoundError, VersionConflictError
 * @throws ForbiddenError where the record is everybody's
 */
export async function deleteRecord(request: RecordRequest, resource: Resource): Promise<void> {
  await transaction((tx) => removeRecord(tx, request, resource));
}

/** The same within a transaction of the caller's. */
export async function removeRecord(tx: Tx, request: RecordRequest, resource: Resource): Promise<void> {
  await removeLocked(tx, request, resource, [await lockRecord(tx, request, resource)]);
}

/** Deletes records that are locked. */
async function removeLocked(
  tx: Tx,
  caller: Caller,
  resource: Resource,
  locked: readonly WritableRecord[],
): Promise<void> {
  const now = isoNow();
  const ids = locked.map(({ id }) => id);
  await tx.run(sql`
    UPDATE resource_record SET deleted_date = ${now}, version = version + 1, modified_date = ${now}
    WHERE id = ANY(${ids}::bigint[])`);
  await deleteKeys(tx, ids);
  const changes = locked.map((before) => {
    return { before, record: { ...before, version: before.version + 1, modified_date: now, deleted_date: now } };
  });
  await append(tx, resource, { kind: "deleted", origin: caller.origin, now }, changes);
  for (const change of changes) await applyEffects(tx, caller, resource, { kind: "deleted", ...change, sent: {} });
}

/** The writes on other records that a write brings with it. */
async function applyEffects(
  tx: Tx,
  caller: Caller,
  { effects }: Resource,
  change: Omit<Change, "read" | "hold">,
): Promise<void> {
  if (!effects) return;
  const practices = [change.record.practice_id as number];
  const readers = { read: createReader(tx, practices), hold: createLockingReader(tx, practices) };
  for (const { kind, resource, all } of alikeOf(await effects({ ...change, ...readers }))) {
    if (kind === "create") await insertRecords(tx, caller, resource, all);
    else if (kind === "delete") {
      const ids = all.map(({ id }) => id);
      await removeLocked(tx, caller, resource, await lockRecords(tx, caller.access, resource, ids));
    } else for (const { id, data } of all) await changeRecord(tx, { ...caller, id, ifMatch: null }, resource, data);
  }
}

type Alike = {
  [K in Effect["kind"]]: { kind: K; resource: Resource; all: Extract<Effect, { kind: K }>[] };
}[Effect["kind"]];

/** Writes of one kind that follow each other on one resource, which are made together. */
function alikeOf(effects: readonly Effect[]): Alike[] {
  const found: Alike[] = [];
  for (const effect of effects) {
    const last = found.at(-1);
    if (last?.kind === effect.kind && last.resource === effect.resource) (last.all as Effect[]).push(effect);
    else found.push({ kind: effect.kind, resource: effect.resource, all: [effect] } as Alike);
  }
  return found;
}

/** What is wrong with an entry of a list is told at its place. */
async function atEntry(at: Place | undefined, work: () => Promise<unknown>) {
  try {
    await work();
  } catch (error) {
    if (!at || !(error instanceof ValidationError)) throw error;
    const [field, index] = at;
    throw new ValidationError({ [field]: [...Array<FieldErrors>(index).fill({}), error.fields as FieldErrors] });
  }
}

/**
 * Locks a record for the rest of the transaction: every write on one that exists begins with it. Of a patient's record the
 * patient is locked first, as by who adds to the chart: writes that go on to others of its records come one after the other.
 */
async function lockRecord(tx: Tx, { access, id, ifMatch }: RecordRequest, resource: Resource): Promise<WritableRecord> {
  const { patient_id } = await getRecord(access, resource, id, { read: tx });
  if (patient_id !== null) await lockPracticeOf(tx, access, patient_id);
  const record = await getRecord(access, resource, id, { read: tx, lock: sql`FOR NO KEY UPDATE` });
  if (record.practice_id === null) throw new ForbiddenError("This record is every practice's: it can only be read.");
  requireVersion(ifMatch, record.version);
  return record as WritableRecord;
}

/** What is looked up for records that are written together: nothing is asked twice, for nothing is written in between. */
function lookupsOf(tx: Tx) {
  return {
    readers: memoize(async (practiceId: number) => ({
      read: memoizeReader(createReader(tx, [practiceId])),
      hold: memoizeReader(createLockingReader(tx, [practiceId])),
    })),
    absent: memoize((wanted: Parameters<typeof findAbsent>[1]) => findAbsent(tx, wanted)),
    others: memoize((wanted: Parameters<typeof findOfOthers>[1]) => findOfOthers(tx, wanted)),
  };
}
type Lookups = ReturnType<typeof lookupsOf>;

/** What the record holds once its declaration has set what the server sets. */
async function prepared(
  tx: Tx,
  { readers }: Lookups,
  { beforeWrite }: Resource,
  write: Omit<Write, "read" | "hold" | "keepFile" | "nextId">,
  files: KeptFile[],
): Promise<Data> {
  if (!beforeWrite) return requireSize(write.data, write.before);
  const nextId = async (table: Parameters<typeof nextIds>[1]) => (await nextIds(tx, table, 1))[0] as number;
  const keepFile = async (file: FileContent) => {
    const id = await nextId("resource_file");
    files.push({ ...file, id, record_id: write.id });
    return id;
  };
  const partId = () => nextId("resource_record");
  const data = await beforeWrite({ ...write, ...(await readers(write.practiceId)), keepFile, nextId: partId });
  return requireSize(data, write.before);
}

/**
 * Every record referred to exists in the practice, and is of no other patient; what was referred to before stays allowed,
 * though it was deleted since.
 */
async function requireReferences(
  { absent: absentOf, others: othersOf }: Lookups,
  resource: Resource,
  view: "create" | "update",
  { practiceId, patientId, data, before }: Owner & { data: Data; before?: Data },
): Promise<void> {
  const placeOf = ({ field, part }: Reference) => `${field} ${part}`;
  const earlier = new Map((before ? listReferences(resource, view, before) : []).map((one) => [placeOf(one), one.ids]));
  for (const reference of listReferences(resource, view, data)) {
    const { target } = reference;
    const known = earlier.get(placeOf(reference)) ?? [];
    const ids = reference.ids.filter((id) => !known.includes(id));
    if (ids.length === 0) continue;
    const absent = await absentOf({ target, practiceId, ids });
    if (absent.length > 0) {
      const message = `No such record of ${target} in this practice: ${absent.join(", ")}.`;
      throw new ValidationError(referenceErrors(reference, data, absent, message));
    }
    const others = patientId === null ? [] : await othersOf({ target, patientId, ids });
    if (others.length > 0) {
      const message = `Not of this patient: ${target} ${others.join(", ")}.`;
      throw new ValidationError(referenceErrors(reference, data, others, message));
    }
  }
}

/** Versions and events of records of practices, and an entry of the audit for each that is a patient's. */
async function append(
  tx: Tx,
  resource: Resource,
  { kind, origin, now }: { kind: Change["kind"]; origin: Origin; now: string },
  written: readonly { record: WritableRecord; before: RecordRow | null }[],
): Promise<void> {
  for (const practiceId of new Set(written.map(({ record }) => record.practice_id))) {
    const own = written.filter(({ record }) => record.practice_id === practiceId);
    const changes = own.map(({ record, before }) => ({ record, kind, changes: changesOf({ record, before }) }));
    await appendChanges(tx, resource, { practiceId, origin, now }, changes);
  }
  const patients = written.flatMap(({ record }) => (record.patient_id === null ? [] : [[record.patient_id]]));
  await auditChanges(tx, origin, patients);
}

/** What a version says has changed. */
function changesOf({ before, record }: Pick<Change, "before" | "record">): FieldChanges {
  if (record.deleted_date !== null) return { deleted_date: { old: null, new: record.deleted_date } };
  const isHandedOver = before !== null && before.patient_id !== record.patient_id;
  const patient: FieldChanges = isHandedOver ? { patient: { old: before.patient_id, new: record.patient_id } } : {};
  return { ...changedFields(before?.data ?? null, record.data), ...patient };
}
