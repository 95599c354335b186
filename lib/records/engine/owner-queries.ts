import type { Access } from "@/lib/access/identity/access";
import { type Db, sql } from "@/lib/platform/db/sql";
import { ValidationError } from "@/lib/platform/errors";
import { requirePracticeOf } from "@/lib/practice/practices/rules";
import { findRecordOwner } from "./queries";
import { lockPracticeOf } from "./reference-queries";
import { ownerFields, viewFields } from "./rules";
import type { Data, Resource, WritableRecord } from "./schema";

/** Whose a record is. */
export interface Owner {
  practiceId: number;
  patientId: number | null;
}

/**
 * Whose a new record is: the patient's and its practice's, the practice's that was named or is the only one, or whose the
 * record is that it belongs to.
 *
 * @throws ValidationError naming the field that says so
 */
export async function findOwner(read: Db, access: Access, resource: Resource, sent: Data): Promise<Owner> {
  const fields = ownerFields(viewFields(resource, "create"));
  const named = {
    patient: (sent[fields.patient ?? ""] ?? undefined) as number | undefined,
    practice: (sent[fields.practice ?? ""] ?? undefined) as number | undefined,
  };
  const practiceField = fields.practice ?? "non_field_errors";
  requirePracticeOf(access, named.practice, { field: practiceField });
  const owner =
    (await findOwnerThrough(read, access, resource, sent)) ??
    (await findOwnerByPatient(read, access, { id: named.patient, field: fields.patient }));
  if (!owner) return { practiceId: namedOrOnlyPractice(access, named.practice, practiceField), patientId: null };
  if (named.practice !== undefined && named.practice !== owner.practiceId) {
    const whose = owner.patientId === null ? "the record this belongs to" : "this patient";
    throw new ValidationError({ [practiceField]: [`Is not the practice of ${whose}.`] });
  }
  if (named.patient !== undefined && named.patient !== owner.patientId) {
    throw new ValidationError({ [fields.patient as string]: ["Is not the patient this belongs to."] });
  }
  return owner;
}

/** Of a body, what says whose the record is: all that findOwner asks of it. */
export function namesOwner(resource: Resource, sent: Data): Data {
  const { patient, practice } = ownerFields(viewFields(resource, "create"));
  const through = typeof resource.owner === "string" ? undefined : resource.owner.field;
  return Object.fromEntries([patient, practice, through].flatMap((name) => (name ? [[name, sent[name]]] : [])));
}

/** Whose the record is that a field refers to; null where it belongs to none, or to one of everybody's. */
async function findOwnerThrough(read: Db, access: Access, resource: Resource, sent: Data): Promise<Owner | null> {
  if (typeof resource.owner === "string") return null;
  const { field } = resource.owner;
  const target = targetOf(resource, field);
  const whole = { resource: target, id: sent[field] as number };
  // The patient before the record, as by every write on the chart.
  const { patientId = null } = (await findRecordOwner(read, access, whole)) ?? {};
  if (patientId !== null) await lockPracticeOf(read, access, patientId);
  const found = await findRecordOwner(read, access, { ...whole, lock: sql`FOR NO KEY UPDATE` });
  if (!found) throw new ValidationError({ [field]: [`No such record of ${target}.`] });
  return found.practiceId === null ? null : { practiceId: found.practiceId, patientId: found.patientId };
}

const targetOf = ({ fields }: Resource, field: string) => fields[field]?.refersTo as string;

async function findOwnerByPatient(
  read: Db,
  access: Access,
  { id, field }: { id: number | undefined; field: string | undefined },
): Promise<Owner | null> {
  if (id === undefined || field === undefined) return null;
  const practiceId = await lockPracticeOf(read, access, id);
  if (practiceId === null) throw new ValidationError({ [field]: ["No such patient."] });
  return { practiceId, patientId: id };
}

function namedOrOnlyPractice(access: Access, named: number | undefined, field: string): number {
  const practiceId = named ?? (access.practices.length === 1 ? access.practices[0] : undefined);
  if (practiceId !== undefined) return practiceId;
  const reached = access.practices.length === 0 ? "none" : "several";
  throw new ValidationError({ [field]: [`Name the practice this is of: you reach ${reached}.`] });
}

/**
 * Whose a record is once a body was applied to it: whose it was, save that one of nobody's becomes a patient's of its
 * practice. A patient's stays theirs: without that, it could be handed on to another one in two steps, with all it says.
 *
 * @throws ValidationError naming the field by which the record would move to another patient or practice
 */
export async function findOwnerAfter(
  read: Db,
  access: Access,
  resource: Resource,
  { before, sent }: { before: WritableRecord; sent: Data },
): Promise<Owner> {
  const { patient = "", practice = "" } = ownerFields(viewFields(resource, "update"));
  const owner = { practiceId: before.practice_id, patientId: before.patient_id };
  requirePracticeOf(access, (sent[practice] ?? undefined) as number | undefined, {
    own: owner.practiceId,
    field: practice,
  });
  await requireSameWhole(read, access, resource, { before, sent });
  const wanted = sent[patient] as number | null | undefined;
  if (wanted === undefined || wanted === owner.patientId) return owner;
  if (owner.patientId !== null || wanted === null) throw new ValidationError({ [patient]: [stays(wanted)] });
  const found = await findOwnerByPatient(read, access, { id: wanted, field: patient });
  if (found?.practiceId === owner.practiceId) return found;
  throw new ValidationError({ [patient]: ["Is not a patient of this record's practice."] });
}

const stays = (wanted: number | null) =>
  wanted === null
    ? "A record can't be taken from its patient. Delete it, and create one without a patient."
    : "A record can't be moved to another patient.";

/** What belongs to another record may come to belong to a second one, where that is the same patient's and practice's. */
async function requireSameWhole(
  read: Db,
  access: Access,
  resource: Resource,
  { before, sent }: { before: WritableRecord; sent: Data },
): Promise<void> {
  if (typeof resource.owner === "string") return;
  const { field } = resource.owner;
  const earlier = before.data[field] as number;
  if (sent[field] === undefined || sent[field] === earlier) return;
  const refuse = (whose: string) => new ValidationError({ [field]: [`A record can't be moved to ${whose}.`] });
  const owner = await findOwnerThrough(read, access, resource, sent);
  if (owner === null) {
    const was = await findRecordOwner(read, access, { resource: targetOf(resource, field), id: earlier });
    if (was?.practiceId !== null) throw refuse("one of every practice's");
  } else if (owner.practiceId !== before.practice_id) throw refuse("another practice");
  else if (owner.patientId !== before.patient_id) throw refuse("another patient");
}
