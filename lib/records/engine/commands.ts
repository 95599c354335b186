import { auditChanges } from "@/lib/access/audit/commands";
import type { RecordRequest } from "@/lib/access/history/commands";
import { type Access, changedFields, type FieldChanges, type Origin } from "@/lib/access/identity/access";
import { isoNow } from "@/lib/platform/clock";
import { anyOf, kysely } from "@/lib/platform/db/kysely";
import { sql } from "@/lib/platform/db/sql";
import { type Tx, transaction } from "@/lib/platform/db/transaction";
import { type FieldErrors, ForbiddenError, ValidationError } from "@/lib/platform/errors";
import { requireVersion } from "@/lib/platform/http/conditional";
import type { Requester } from "@/lib/platform/jobs/task-queue";
import { type ProcessedImage, processImages } from "@/lib/platform/storage/process-image";
import type { Data } from "./data-types";
import { withPartValues } from "./parts";
import { createLockingReader, createReader, getRecord, lockRecords, memoize } from "./queries";
import {
  createLookups,
  findOwner,
  findOwnerAfter,
  type Lookups,
  lockPatientPractice,
  ownerInput,
  requireReferences,
} from "./reference-queries";
import {
  appendChanges,
  deleteKeys,
  insertFiles,
  insertRows,
  nextId,
  nextIds,
  replaceKeys,
  type StoredFile,
} from "./row-commands";
import { mergeData, requireSize } from "./rules";
import type { Change, Effect, RecordRow, Resource, WritableRecord, Write } from "./schema";

/** The client or user who makes a write. */
interface Caller {
  access: Access;
  origin: Origin;
  /** The request that waits for images to be decoded. Command-line programs omit it. */
  requester?: Requester | undefined;
}

/** An entry of a list in a body. */
type Entry = readonly [field: string, index: number];

/**
 * Creates a record.
 *
 * @throws ValidationError by field, also if a patient, practice or other record does not exist or the caller can't access it
 */
export async function createRecord<D extends Data, S extends Data>(
  caller: Caller,
  resource: Resource<D, S>,
  sent: NoInfer<S>,
): Promise<RecordRow<D>> {
  const images = await decodeImages(caller, resource, sent, (tx) => requireCreatable(tx, caller, resource, sent));
  return transaction((tx) => insertRecord(tx, caller, resource, sent, images));
}

/** Creates a record within a transaction. The caller has decoded the images of the body. */
export async function insertRecord<D extends Data, S extends Data>(
  tx: Tx,
  caller: Caller,
  resource: Resource<D, S>,
  sent: NoInfer<S>,
  images: readonly ProcessedImage[] = [],
): Promise<RecordRow<D>> {
  const [record] = await insertRecords(tx, caller, resource, [{ data: sent, images }]);
  return withDeclaredType(resource, record);
}

/**
 * Decodes the images of a body outside of any transaction. Before that, `check` rejects the write if it can, in a short
 * transaction that is rolled back.
 *
 * @throws ValidationError at the image
 * @throws OverloadedError image_queue_full
 */
export async function decodeImages(
  { requester }: Pick<Caller, "requester">,
  resource: Resource,
  sent: Data,
  check: (tx: Tx) => Promise<unknown>,
): Promise<ProcessedImage[]> {
  const { field, images } = resource.imagesIn?.(sent) ?? { field: "", images: [] };
  if (images.length === 0) return [];
  await transaction(check, { rollback: true });
  return processImages(images, { field, requester });
}

/** Checks what it can of a new record without its images: its owner and its references. */
export async function requireCreatable(tx: Tx, { access }: Caller, resource: Resource, sent: Data): Promise<void> {
  const owner = await findOwner(tx, access, resource, ownerInput(resource, sent));
  const data = mergeData(resource, "create", sent);
  await requireReferences(createLookups(tx), resource, "create", { ...owner, data });
}

/** Creates records of a resource together. Lookups of `beforeWrite` find none of them. */
async function insertRecords(
  tx: Tx,
  caller: Caller,
  resource: Resource,
  entries: readonly { data: Data; at?: Entry | undefined; images?: readonly ProcessedImage[] }[],
): Promise<WritableRecord[]> {
  const { access, origin } = caller;
  const now = isoNow();
  const ids = await nextIds(tx, "resource_record", entries.length);
  const lookups = createLookups(tx);
  const ownerOf = memoize((input: Data) => findOwner(tx, access, resource, input));
  const files: StoredFile[] = [];
  const written: { record: WritableRecord; sent: Data }[] = [];
  for (const [index, id] of ids.entries()) {
    const { data: sent = {}, at, images = [] } = entries[index] ?? {};
    await reportAt(at, async () => {
      const owner = await ownerOf(ownerInput(resource, sent));
      const merged = mergeData(resource, "create", sent);
      await requireReferences(lookups, resource, "create", { ...owner, data: merged });
      const write = { id, ...owner, data: merged, before: null, sent, images, now };
      const data = await applyBeforeWrite(tx, lookups, resource, write, files);
      const record = {
        id,
        practice_id: owner.practiceId,
        patient_id: owner.patientId,
        data,
        version: 1,
        created_date: now,
        modified_date: now,
        deleted_date: null,
      };
      written.push({ record, sent });
    });
  }
  const records = written.map(({ record }) => record);
  await insertRows(tx, resource, records);
  await insertFiles(tx, files, now);
  const changes = records.map((record) => ({ record, before: null }));
  await append(tx, resource, { kind: "created", origin, now }, changes);
  for (const { record, sent } of written)
    await applyEffects(tx, caller, resource, { kind: "created", record, before: null, sent });
  return records;
}

/**
 * Updates the fields in a body and leaves the others unchanged. A write that changes nothing creates no version.
 *
 * @throws NotFoundError, VersionConflictError
 * @throws ForbiddenError if all practices share the record
 * @throws ValidationError like `createRecord`, and if the record would move to another patient or practice
 */
export async function updateRecord<D extends Data, S extends Data>(
  request: RecordRequest & Pick<Caller, "requester">,
  resource: Resource<D, S>,
  sent: NoInfer<S>,
): Promise<RecordRow<D>> {
  const images = await decodeImages(request, resource, sent, (tx) => lockRecord(tx, request, resource));
  return transaction((tx) => changeRecord(tx, request, resource, sent, images));
}

/** Updates a record within a transaction. The caller has decoded the images of the body. */
export async function changeRecord<D extends Data, S extends Data>(
  tx: Tx,
  request: RecordRequest,
  resource: Resource<D, S>,
  sent: NoInfer<S>,
  images: readonly ProcessedImage[] = [],
): Promise<RecordRow<D>> {
  const { access, origin } = request;
  const before = await lockRecord(tx, request, resource);
  const owner = await findOwnerAfter(tx, access, resource, { before, sent });
  const merged = mergeData(resource, "update", sent, before.data);
  const lookups = createLookups(tx);
  await requireReferences(lookups, resource, "update", { ...owner, data: merged, before: before.data });
  const now = isoNow();
  const files: StoredFile[] = [];
  const write = { id: before.id, ...owner, data: merged, before: before.data, sent, images, now };
  const data = await applyBeforeWrite(tx, lookups, resource, write, files);
  const record = {
    ...before,
    patient_id: owner.patientId,
    data,
    version: before.version + 1,
    modified_date: now,
  };
  if (Object.keys(listChanges({ before, record })).length === 0) {
    await applyEffects(tx, request, resource, { kind: "updated", record: before, before, sent });
    return withDeclaredType(resource, before);
  }
  const columns = { patient_id: record.patient_id, data, version: record.version, modified_date: now };
  await tx.run(kysely.updateTable("resource_record").set(columns).where("id", "=", before.id));
  await insertFiles(tx, files, now);
  await replaceKeys(tx, resource, [record]);
  await append(tx, resource, { kind: "updated", origin, now }, [{ record, before }]);
  await applyEffects(tx, request, resource, { kind: "updated", record, before, sent });
  return withDeclaredType(resource, record);
}

/**
 * Returns a record with the data type of its resource. The functions above handle the data of all resources as JSON values. The
 * cast is sound because the data has passed the schemas and `beforeWrite` of this resource.
 */
function withDeclaredType<D extends Data>(_resource: Resource<D>, record: RecordRow | undefined): RecordRow<D> {
  return record as RecordRow<D>;
}

/**
 * Deletes a record. Responses are 404 from now on; its data and history are kept.
 *
 * @throws NotFoundError, VersionConflictError
 * @throws ForbiddenError if all practices share the record
 */
export async function deleteRecord(request: RecordRequest, resource: Resource): Promise<void> {
  await transaction((tx) => removeRecord(tx, request, resource));
}

/** Deletes a record within a transaction. */
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
  await tx.run(
    kysely
      .updateTable("resource_record")
      .set((row) => ({ deleted_date: now, modified_date: now, version: row("version", "+", 1) }))
      .where("id", "=", anyOf(ids)),
  );
  await deleteKeys(tx, ids);
  const changes = locked.map((before) => {
    return { before, record: { ...before, version: before.version + 1, modified_date: now, deleted_date: now } };
  });
  await append(tx, resource, { kind: "deleted", origin: caller.origin, now }, changes);
  for (const change of changes) await applyEffects(tx, caller, resource, { kind: "deleted", ...change, sent: {} });
}

/** Applies the effects of a write: the writes to other records that follow from it. */
async function applyEffects(
  tx: Tx,
  caller: Caller,
  resource: Resource,
  change: Omit<Change, "resource" | "reader" | "lockingReader">,
): Promise<void> {
  if (!resource.effects) return;
  const practices = [change.record.practice_id];
  const readers = { reader: createReader(tx, practices), lockingReader: createLockingReader(tx, practices) };
  for (const effects of groupEffects(await resource.effects({ ...change, resource, ...readers }))) {
    const [{ kind, resource: target }] = effects;
    if (kind === "create") {
      const entries = effects.flatMap((effect) => (effect.kind === "create" ? [effect] : []));
      await insertRecords(tx, caller, target, entries);
    } else if (kind === "delete") {
      const ids = effects.flatMap((effect) => (effect.kind === "delete" ? [effect.id] : []));
      await removeLocked(tx, caller, target, await lockRecords(tx, caller.access, target, ids));
    } else {
      for (const effect of effects)
        if (effect.kind === "update")
          await changeRecord(tx, { ...caller, id: effect.id, ifMatch: null }, target, effect.data);
    }
  }
}

/** Groups successive effects of one kind on one resource, which are written together. */
function groupEffects(effects: readonly Effect[]): [Effect, ...Effect[]][] {
  const groups: [Effect, ...Effect[]][] = [];
  for (const effect of effects) {
    const group = groups.at(-1);
    if (group?.[0].kind === effect.kind && group[0].resource === effect.resource) group.push(effect);
    else groups.push([effect]);
  }
  return groups;
}

/** Reports validation errors at an entry of the body. */
async function reportAt(at: Entry | undefined, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!at || !(error instanceof ValidationError) || Array.isArray(error.fields)) throw error;
    const [field, index] = at;
    throw new ValidationError({ [field]: [...Array<FieldErrors>(index).fill({}), error.fields] });
  }
}

/**
 * Locks a record for the rest of the transaction. Every write to an existing record begins with this. Like writes that add to the
 * chart, it locks the record's patient first, so that writes with effects on the patient's other records wait for each other
 * instead of deadlocking.
 */
async function lockRecord(tx: Tx, { access, id, ifMatch }: RecordRequest, resource: Resource): Promise<WritableRecord> {
  const { patient_id } = await getRecord(access, resource, id, { read: tx });
  if (patient_id !== null) await lockPatientPractice(tx, access, patient_id);
  const { practice_id, ...record } = await getRecord(access, resource, id, {
    read: tx,
    lock: sql`FOR NO KEY UPDATE`,
  });
  if (practice_id === null) throw new ForbiddenError("All practices share this record, so it is read-only.");
  requireVersion(ifMatch, record.version);
  resource.requireChangeable?.(record.data);
  return { practice_id, ...record };
}

/** Returns the data to store, and adds the files that it refers to to `files`. */
async function applyBeforeWrite(
  tx: Tx,
  { readers }: Lookups,
  resource: Resource,
  write: Omit<Write, "resource" | "reader" | "lockingReader" | "storeFile" | "nextIds">,
  files: StoredFile[],
): Promise<Data> {
  const nextPartIds = (count: number) => nextIds(tx, "resource_record", count);
  const data = !resource.beforeWrite
    ? write.data
    : await resource.beforeWrite({
        ...write,
        ...(await readers(write.practiceId)),
        resource,
        storeFile: async (file) => {
          const id = await nextId(tx, "resource_file");
          files.push({ ...file, id, record_id: write.id });
          return id;
        },
        nextIds: nextPartIds,
      });
  const view = write.before ? "update" : "create";
  return requireSize(await withPartValues(resource, view, { ...write, data }, nextPartIds), write.before);
}

/** Appends versions and events by practice, and an audit entry for each record of a patient. */
async function append(
  tx: Tx,
  resource: Resource,
  { kind, origin, now }: { kind: Change["kind"]; origin: Origin; now: string },
  written: readonly { record: WritableRecord; before: RecordRow | null }[],
): Promise<void> {
  for (const practiceId of new Set(written.map(({ record }) => record.practice_id))) {
    const ofPractice = written.filter(({ record }) => record.practice_id === practiceId);
    const changes = ofPractice.map(({ record, before }) => ({
      record,
      kind,
      changes: listChanges({ record, before }),
    }));
    await appendChanges(tx, resource, { practiceId, origin, now }, changes);
  }
  const patients = written.flatMap(({ record }) => (record.patient_id === null ? [] : [[record.patient_id]]));
  await auditChanges(tx, origin, patients);
}

/** Returns the changes that a version records. */
function listChanges({ before, record }: Pick<Change, "before" | "record">): FieldChanges {
  if (record.deleted_date !== null) return { deleted_date: { old: null, new: record.deleted_date } };
  const getsPatient = before !== null && before.patient_id !== record.patient_id;
  const patient: FieldChanges = getsPatient ? { patient: { old: before.patient_id, new: record.patient_id } } : {};
  return { ...changedFields(before?.data ?? null, record.data), ...patient };
}
