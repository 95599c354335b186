import type { Access } from "@/lib/access/identity/access";
import { type Db, sql } from "@/lib/platform/db/sql";
import { ValidationError } from "@/lib/platform/errors";
import { requirePracticeOf } from "@/lib/practice/practices/rules";
import type { Data } from "./data-types";
import { findRecordOwner } from "./queries";
import { lockPatientPractice } from "./reference-queries";
import { ownerFields, viewFields } from "./rules";
import type { Resource, WritableRecord } from "./schema";

/** Who owns a record. */
export interface Owner {
  practiceId: number;
  patientId: number | null;
}

/**
 * Finds the owner of a new record: the patient and its practice; the practice that was sent, or the only one in reach; or the
 * owner of the record that it belongs to.
 *
 * @throws ValidationError by the field that names the owner
 */
export async function findOwner(read: Db, access: Access, resource: Resource, sent: Data): Promise<Owner> {
  const { patient = "", practice = "" } = ownerFields(viewFields(resource, "create"));
  const patientId = idIn(sent, patient);
  const practiceId = idIn(sent, practice);
  const practiceField = practice || "non_field_errors";
  requirePracticeOf(access, practiceId ?? undefined, { field: practiceField });
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
  const { patientId = null } = (await findRecordOwner(read, access, parent)) ?? {};
  if (patientId !== null) await lockPatientPractice(read, access, patientId);
  const found = await findRecordOwner(read, access, { ...parent, lock: sql`FOR NO KEY UPDATE` });
  if (!found) throw new ValidationError({ [field]: [`No such record of ${target}.`] });
  return found.practiceId === null ? null : { practiceId: found.practiceId, patientId: found.patientId };
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
  if (practiceId === null) throw new ValidationError({ [field]: ["No such patient."] });
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
 * Finds the owner of a record after an update, which can only give a patient to a record without one. A patient's record keeps
 * its patient: otherwise two updates could pass it, with everything it says, to another patient.
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
  requirePracticeOf(access, idIn(sent, practice) ?? undefined, { own: owner.practiceId, field: practice });
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

/** A record that belongs to another one can move to a third one of the same patient and practice. */
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
  const refuse = (whose: string) => new ValidationError({ [field]: [`A record can't be moved to ${whose}.`] });
  const owner = await findParentOwner(read, access, resource, sent);
  if (owner === null) {
    const previous = await findRecordOwner(read, access, { resource: parentResource(resource, field), id: parent });
    if (previous?.practiceId !== null) throw refuse("a record that all practices share");
  } else if (owner.practiceId !== before.practice_id) throw refuse("another practice");
  else if (owner.patientId !== before.patient_id) throw refuse("another patient");
}
