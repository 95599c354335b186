import { type Db, sql } from "@/lib/platform/db/sql";

/** Whom a change of a practice's rules for insurances concerns. */
export interface InsuredCount {
  patients: number;
  /** Patients with a current insurance. */
  insured: number;
}

/** How many patients a practice has, and how many of them are insured. */
export async function countInsured(read: Db, practiceId: number): Promise<InsuredCount> {
  const row = await read.first<InsuredCount>(sql`
    SELECT (SELECT count(*) FROM patient WHERE practice_id = ${practiceId} AND deleted_date IS NULL) AS patients,
      (SELECT count(DISTINCT patient_id) FROM patient_insurance
       WHERE practice_id = ${practiceId} AND deleted_date IS NULL) AS insured`);
  return row ?? { patients: 0, insured: 0 };
}
