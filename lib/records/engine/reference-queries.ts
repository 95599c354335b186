import type { Access } from "@/lib/access/identity/access";
import { findAbsentPatients } from "@/lib/insurance/patients/queries";
import { lockPatient } from "@/lib/insurance/patients/store";
import { findAbsentCompanies } from "@/lib/insurance/payers/queries";
import { type Db, sql } from "@/lib/platform/db/sql";
import { absentRecords, NotFoundError, ValidationError } from "@/lib/platform/errors";
import { findAbsentStaff } from "@/lib/practice/members/queries";
import { findAbsentPhysicians, findAbsentPhysicianUsers } from "@/lib/practice/physicians/queries";
import { requireOwnPractice } from "@/lib/practice/practices/rules";
import { findAbsentRecords } from "@/lib/practice/record-lookups/queries";
import type { Data } from "./data-types";
import type { ReferenceTarget } from "./fields";
import {
  createLockingReader,
  createReader,
  findRecordOwner,
  findRecordsOfOthers,
  memoize,
  memoizeReader,
} from "./queries";
import { listReferences, ownerFields, type Reference, referenceErrors, viewFields } from "./rules";
import type { Resource, WritableRecord } from "./schema";

type FindAbsent = (read: Db, wanted: { practiceId: number; ids: readonly number[] }) => Promise<number[]>;

/** Lookups in resources with their own tables. */
const OTHER_TABLES: Partial<Record<ReferenceTarget, FindAbsent>> = {
  patients: findAbsentPatients,
  physicians: findAbsentPhysicians,
  insurance_companies: findAbsentCompanies,
  users: findAbsentUsers,
};

/** Returns which of these IDs are not users of a practice. Users are staff members and physicians' accounts. */
async function findAbsentUsers(
  read: Db,
  { practiceId, ids }: { practiceId: number; ids: readonly number[] },
): Promise<number[]> {
  const absent = await findAbsentStaff(read, { practiceId, ids });
  return absent.length === 0 ? [] : findAbsentPhysicianUsers(read, { practiceId, ids: absent });
}

/** Returns which of these IDs are not records of a resource in a practice. */
export async function findAbsent(
  read: Db,
  { target, ...wanted }: { target: ReferenceTarget; practiceId: number; ids: readonly number[] },
): Promise<number[]> {
  const find = OTHER_TABLES[target];
  return find ? find(read, wanted) : findAbsentRecords(read, { resource: target, ...wanted });
}

/** Returns which of these records belong to a patient other than that of the record that refers to them. */
async function findOfOthers(
  read: Db,
  { target, ...wanted }: { target: ReferenceTarget; patientId: number; ids: readonly number[] },
): Promise<number[]> {
  return target in OTHER_TABLES ? [] : findRecordsOfOthers(read, wanted);
}

/**
 * Locks a patient and returns its practice, or null if the caller has no such patient. Writes that add to the chart wait for
 * each other, and nothing is added to the chart of a patient who is being deleted.
 */
export async function lockPatientPractice(tx: Db, access: Access, patientId: number): Promise<number | null> {
  try {
    return (await lockPatient(tx, access, patientId)).practice_id;
  } catch (error) {
    if (error instanceof NotFoundError) return null;
    throw error;
  }
}

/** Caches lookups for records that are written together, which is safe because nothing is written in between. */
export function createLookups(tx: Db) {
  return {
    readers: memoize(async (practiceId: number) => ({
      reader: memoizeReader(createReader(tx, [practiceId])),
      lockingReader: memoizeReader(createLockingReader(tx, [practiceId])),
    })),
    absent: memoize((wanted: Parameters<typeof findAbsent>[1]) => findAbsent(tx, wanted)),
    others: memoize((wanted: Parameters<typeof findOfOthers>[1]) => findOfOthers(tx, wanted)),
  };
}
export type Lookups = ReturnType<typeof createLookups>;

/**
 * Requires that each referenced record exists in the practice and belongs to no other patient. Existing references stay valid
 * even if their records have been deleted since.
 */
export async function requireReferences(
  lookups: Lookups,
  resource: Resource,
  view: "create" | "update",
  { practiceId, patientId, data, before }: Owner & { data: Data; before?: Data },
): Promise<void> {
  const placeOf = ({ field, part }: Reference) => `${field} ${part}`;
  const previous = new Map(
    (before ? listReferences(resource, view, before) : []).map((one) => [placeOf(one), one.ids]),
  );
  for (const reference of listReferences(resource, view, data)) {
    const { target } = reference;
    const known = previous.get(placeOf(reference)) ?? [];
    const ids = reference.ids.filter((id) => !known.includes(id));
    if (ids.length === 0) continue;
    const absent = await lookups.absent({ target, practiceId, ids });
    if (absent.length > 0) {
      throw new ValidationError(referenceErrors(reference, data, absent, absentRecords));
    }
    const others = patientId === null ? [] : await lookups.others({ target, patientId, ids });
    if (others.length > 0) {
      const belongsToAnother = (...ids: number[]) => [`Belongs to another patient: ${target} ${ids.join(", ")}.`];
      throw new ValidationError(referenceErrors(reference, data, others, belongsToAnother));
    }
  }
}

/** The owner of a record: a practice, and a patient if the record has one. */
export interface Owner {
  practiceId: number;
  patientId: number | null;
}

/**
 * Finds the owner of a new record: the owner of the record that it belongs to, or the patient and its practice, or else the
 * practice that was sent or the only one that the caller can access.
 *
 * @throws ValidationError by the field that names the owner
 */
export async function findOwner(read: Db, access: Access, resource: Resource, sent: Data): Promise<Owner> {
  const { patient = "", practice = "" } = ownerFields(viewFields(resource, "create"));
  const patientId = idIn(sent, patient);
  const practiceId = idIn(sent, practice);
  const practiceField = practice || "non_field_errors";
  requireOwnPractice(access, practiceId ?? undefined, { field: practiceField });
  const owner =
    (await findParentOwner(read, access, resource, sent)) ??
    (await findPatientOwner(read, access, { id: patientId, field: patient }));
  if (!owner) return { practiceId: sentOrOnlyPractice(access, practiceId, practiceField), patientId: null };
  if (practiceId !== null && practiceId !== owner.practiceId) {
    const whose = owner.patientId === null ? "the record that this belongs to" : "this patient";
    throw new ValidationError({ [practiceField]: [`Is not the practice of ${whose}.`] });
  }
  if (patientId !== null && patientId !== owner.patientId) {
    throw new ValidationError({ [patient]: ["Is not the patient that this belongs to."] });
  }
  return owner;
}

/** Returns the ID in a field of a body, or null if it has none. */
function idIn(sent: Data, field: string): number | null {
  const id = sent[field];
  return typeof id === "number" ? id : null;
}

/** Returns the part of a body that `findOwner` depends on. */
export function ownerInput(resource: Resource, sent: Data): Data {
  const { patient, practice } = ownerFields(viewFields(resource, "create"));
  const parent = typeof resource.owner === "string" ? undefined : resource.owner.field;
  return Object.fromEntries([patient, practice, parent].flatMap((name) => (name ? [[name, sent[name]]] : [])));
}

/** Finds the owner of the record that a field refers to, or null if all practices share it. */
async function findParentOwner(read: Db, access: Access, resource: Resource, sent: Data): Promise<Owner | null> {
  if (typeof resource.owner === "string") return null;
  const { field } = resource.owner;
  const target = parentResource(resource, field);
  const parent = { resource: target, id: sent[field] };
  // Every write to the chart locks the patient before a record.
  const { patient_id = null } = (await findRecordOwner(read, access, parent)) ?? {};
  if (patient_id !== null) await lockPatientPractice(read, access, patient_id);
  const found = await findRecordOwner(read, access, { ...parent, lock: sql`FOR NO KEY UPDATE` });
  if (!found) throw new ValidationError({ [field]: absentRecords(Number(parent.id)) });
  return found.practice_id === null ? null : { practiceId: found.practice_id, patientId: found.patient_id };
}

function parentResource({ name, fields }: Resource, field: string): string {
  const target = fields[field]?.refersTo;
  if (!target) throw new Error(`${field} of ${name} refers to no resource.`);
  return target;
}

async function findPatientOwner(
  read: Db,
  access: Access,
  { id, field }: { id: number | null; field: string },
): Promise<Owner | null> {
  if (id === null) return null;
  const practiceId = await lockPatientPractice(read, access, id);
  if (practiceId === null) throw new ValidationError({ [field]: absentRecords(id) });
  return { practiceId, patientId: id };
}

function sentOrOnlyPractice(access: Access, sent: number | null, field: string): number {
  const [only, ...others] = access.practices;
  const practiceId = sent ?? (others.length === 0 ? only : undefined);
  if (practiceId !== undefined) return practiceId;
  const reason = only === undefined ? "can't access any practice" : "can access several practices";
  throw new ValidationError({ [field]: [`Is required: this client ${reason}.`] });
}

/**
 * Finds the owner of a record after an update. An update can assign a patient to a record without one, but can't change the
 * patient: otherwise two updates could disclose a patient's record to another patient.
 *
 * @throws ValidationError by the field that would move the record to another patient or practice
 */
export async function findOwnerAfter(
  read: Db,
  access: Access,
  resource: Resource,
  { before, sent }: { before: WritableRecord; sent: Data },
): Promise<Owner> {
  const { patient = "", practice = "" } = ownerFields(viewFields(resource, "update"));
  const owner = { practiceId: before.practice_id, patientId: before.patient_id };
  requireOwnPractice(access, idIn(sent, practice) ?? undefined, { current: owner.practiceId, field: practice });
  await requireSameOwner(read, access, resource, { before, sent });
  const patientId = idIn(sent, patient);
  if (sent[patient] === undefined || patientId === owner.patientId) return owner;
  if (patientId === null) {
    const message = "A record can't be removed from its patient. Delete it, and create one without a patient.";
    throw new ValidationError({ [patient]: [message] });
  }
  if (owner.patientId !== null)
    throw new ValidationError({ [patient]: ["A record can't be moved to another patient."] });
  const found = await findPatientOwner(read, access, { id: patientId, field: patient });
  if (found?.practiceId === owner.practiceId) return found;
  throw new ValidationError({ [patient]: ["Is not a patient of this record's practice."] });
}

/** Requires that a record that belongs to another one only moves to a record of the same patient and practice. */
async function requireSameOwner(
  read: Db,
  access: Access,
  resource: Resource,
  { before, sent }: { before: WritableRecord; sent: Data },
): Promise<void> {
  if (typeof resource.owner === "string") return;
  const { field } = resource.owner;
  const parent = before.data[field];
  if (sent[field] === undefined || sent[field] === parent) return;
  const moveError = (whose: string) => new ValidationError({ [field]: [`A record can't be moved to ${whose}.`] });
  const owner = await findParentOwner(read, access, resource, sent);
  if (owner === null) {
    const previous = await findRecordOwner(read, access, { resource: parentResource(resource, field), id: parent });
    if (previous?.practice_id !== null) throw moveError("a record that all practices share");
  } else if (owner.practiceId !== before.practice_id) throw moveError("another practice");
  else if (owner.patientId !== before.patient_id) throw moveError("another patient");
}
