import { type Db, sql } from "@/lib/platform/db/sql";

/** The number of patients that a change of a practice's insurance settings affects. */
export interface InsuredCount {
  patients: number;
  /** Patients with a current insurance. */
  insured: number;
}

/** Counts the patients of a practice, and those with a current insurance. */
export async function countInsured(read: Db, practiceId: number): Promise<InsuredCount> {
  const row = await read.first<InsuredCount>(sql`
    SELECT (SELECT count(*) FROM patient WHERE practice_id = ${practiceId} AND deleted_date IS NULL) AS patients,
      (SELECT count(DISTINCT patient_id) FROM patient_insurance
       WHERE practice_id = ${practiceId} AND deleted_date IS NULL) AS insured`);
  return row ?? { patients: 0, insured: 0 };
}
