import type { Db } from "@/lib/db/sql";
import { ValidationError } from "@/lib/errors";
import type { Access } from "@/lib/oauth/access";
import { requirePracticeOf } from "@/lib/practices/rules";
import { findRecordOwner } from "./queries";
import { findPracticeOf } from "./reference-queries";
import { fieldsOf, ownerFieldsOf } from "./rules";
import type { Data, RecordRow, Resource } from "./schema";

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
  const fields = ownerFieldsOf(fieldsOf(resource, "create"));
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
    throw new ValidationError({ [practiceField]: ["Is not the practice of this patient."] });
  }
  if (named.patient !== undefined && named.patient !== owner.patientId) {
    throw new ValidationError({ [fields.patient as string]: ["Is not the patient this belongs to."] });
  }
  return owner;
}

/** Whose the record is that a field refers to; null where it belongs to none, or to one of everybody's. */
async function findOwnerThrough(
  read: Db,
  access: Access,
  { owner, fields }: Resource,
  sent: Data,
): Promise<Owner | null> {
  if (typeof owner === "string") return null;
  const { field } = owner;
  const target = fields[field]?.refersTo as string;
  const found = await findRecordOwner(read, access, { resource: target, id: sent[field] as number });
  if (!found) throw new ValidationError({ [field]: [`No such record of ${target}.`] });
  return found.practiceId === null ? null : { practiceId: found.practiceId, patientId: found.patientId };
}

async function findOwnerByPatient(
  read: Db,
  access: Access,
  { id, field }: { id: number | undefined; field: string | undefined },
): Promise<Owner | null> {
  if (id === undefined || field === undefined) return null;
  const practiceId = await findPracticeOf(read, access, id);
  if (practiceId === null) throw new ValidationError({ [field]: ["No such patient."] });
  return { practiceId, patientId: id };
}

function namedOrOnlyPractice(access: Access, named: number | undefined, field: string): number {
  const practiceId = named ?? (access.practices.length === 1 ? access.practices[0] : undefined);
  if (practiceId !== undefined) return practiceId;
  throw new ValidationError({ [field]: ["Name a practice: you reach several, or none."] });
}

/** @throws ValidationError where a body would move a record to another patient or practice */
export function requireSameOwner(access: Access, resource: Resource, before: RecordRow, sent: Data): void {
  const { patient = "", practice = "" } = ownerFieldsOf(fieldsOf(resource, "update"));
  requirePracticeOf(access, (sent[practice] ?? undefined) as number | undefined, {
    own: before.practice_id ?? undefined,
    field: practice,
  });
  if (sent[patient] !== undefined && sent[patient] !== before.patient_id) {
    throw new ValidationError({ [patient]: ["A record can't be moved to another patient."] });
  }
}
