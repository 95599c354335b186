import type { Access } from "@/lib/access/identity/access";
import { findAbsentPatients, lockPatient } from "@/lib/insurance/patients/queries";
import { findAbsentCompanies } from "@/lib/insurance/payers/queries";
import type { Db } from "@/lib/platform/db/sql";
import { NotFoundError } from "@/lib/platform/errors";
import { findAbsentStaff } from "@/lib/practice/members/queries";
import { findAbsentPhysicians, findAbsentPhysicianUsers } from "@/lib/practice/physicians/queries";
import { findAbsentRecords } from "@/lib/practice/record-lookups/queries";
import type { ReferenceTarget } from "./fields";
import { findRecordsOfOthers } from "./queries";

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
export async function findOfOthers(
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
