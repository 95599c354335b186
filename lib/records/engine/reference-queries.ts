import type { Access } from "@/lib/access/identity/access";
import { findAbsentPatients, lockPatient } from "@/lib/insurance/patients/queries";
import { findAbsentCompanies } from "@/lib/insurance/payers/queries";
import type { Db } from "@/lib/platform/db/sql";
import { NotFoundError, ValidationError } from "@/lib/platform/errors";
import { findAbsentStaff } from "@/lib/practice/members/queries";
import { findAbsentPhysicians, findAbsentPhysicianUsers } from "@/lib/practice/physicians/queries";
import { findAbsentRecords } from "@/lib/practice/record-lookups/queries";
import type { Data } from "./data-types";
import type { ReferenceTarget } from "./fields";
import type { Owner } from "./owner-queries";
import { createLockingReader, createReader, findRecordsOfOthers, memoize, memoizeReader } from "./queries";
import { listReferences, type Reference, referenceErrors } from "./rules";
import type { Resource } from "./schema";

type FindAbsent = (read: Db, wanted: { practiceId: number; ids: readonly number[] }) => Promise<number[]>;

/** Lookups in resources with tables of their own. */
const OTHER_TABLES: Partial<Record<ReferenceTarget, FindAbsent>> = {
  patients: findAbsentPatients,
  physicians: findAbsentPhysicians,
  insurance_companies: findAbsentCompanies,
  users: findAbsentUsers,
};

/** Users are staff members and physicians' accounts. */
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

/** Returns which of these records belong to another patient than the record that refers to them. */
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
 * Checks that every record referred to exists in the practice and belongs to no other patient. Previous references stay valid,
 * even if their records were deleted since.
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
      const message = `No such record of ${target} in this practice: ${absent.join(", ")}.`;
      throw new ValidationError(referenceErrors(reference, data, absent, message));
    }
    const others = patientId === null ? [] : await lookups.others({ target, patientId, ids });
    if (others.length > 0) {
      const message = `Belongs to another patient: ${target} ${others.join(", ")}.`;
      throw new ValidationError(referenceErrors(reference, data, others, message));
    }
  }
}
