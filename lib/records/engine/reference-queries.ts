import type { Access } from "@/lib/access/identity/access";
import { findAbsentPatients, lockPatient } from "@/lib/insurance/patients/queries";
import { findAbsentCompanies } from "@/lib/insurance/payers/queries";
import type { Db } from "@/lib/platform/db/sql";
import { NotFoundError } from "@/lib/platform/errors";
import { findAbsentStaff } from "@/lib/practice/members/queries";
import { findAbsentPhysicians, findAbsentPhysicianUsers } from "@/lib/practice/physicians/queries";
import { findAbsentRecords } from "@/lib/practice/record-lookups/queries";
import { findRecordsOfOthers } from "./queries";
import type { ReferenceTarget } from "./schema";

type FindAbsent = (read: Db, wanted: { practiceId: number; ids: readonly number[] }) => Promise<number[]>;

/** Resources with tables of their own. */
const ELSEWHERE: Partial<Record<ReferenceTarget, FindAbsent>> = {
  patients: findAbsentPatients,
  physicians: findAbsentPhysicians,
  insurance_companies: findAbsentCompanies,
  users: findAbsentUsers,
};

/** Users are members of the staff, and physicians by the account they have. */
async function findAbsentUsers(
  read: Db,
  { practiceId, ids }: { practiceId: number; ids: readonly number[] },
): Promise<number[]> {
  const absent = await findAbsentStaff(read, { practiceId, ids });
  return absent.length === 0 ? [] : findAbsentPhysicianUsers(read, { practiceId, ids: absent });
}

/** Which of these ids are no records of a resource in a practice. */
export async function findAbsent(
  read: Db,
  { target, ...wanted }: { target: ReferenceTarget; practiceId: number; ids: readonly number[] },
): Promise<number[]> {
  const find = ELSEWHERE[target];
  return find ? find(read, wanted) : findAbsentRecords(read, { resource: target, ...wanted });
}

/** Which of these records of a resource are of another patient than the one whose record refers to them. */
export async function findOfOthers(
  read: Db,
  { target, ...wanted }: { target: ReferenceTarget; patientId: number; ids: readonly number[] },
): Promise<number[]> {
  return target in ELSEWHERE ? [] : findRecordsOfOthers(read, wanted);
}

/**
 * The practice of a patient the caller may reach; null where there is no such patient. The patient stays locked, so that
 * those who add to the chart do so one after the other, and nobody adds to that of a patient who is being deleted.
 */
export async function lockPracticeOf(tx: Db, access: Access, patientId: number): Promise<number | null> {
  try {
    return (await lockPatient(tx, access, patientId)).practice_id;
  } catch (error) {
    if (error instanceof NotFoundError) return null;
    throw error;
  }
}
