import type { EligibilityStatus } from "@/generated/rows/enums";
import type { Access } from "@/lib/access/identity/access";
import { patientIsVisible } from "@/lib/insurance/patients/queries";
import type { Row } from "@/lib/platform/db/rows";
import { db, sql } from "@/lib/platform/db/sql";
import { DomainError, NotFoundError } from "@/lib/platform/errors";

/** A check with the ID of the legacy insurance that the policy replicates. */
export type CheckRow = Row<"eligibility_check"> & Row<"policy", "patient_insurance">;

const CHECK = sql`c.id, c.policy_id, c.patient_id, c.practice_id, c.status, c.provider, c.asked, c.details, c.report, c.actor, c.source,
  c.request_id, c.checked_date, p.patient_insurance`;

/** The policy and the patient of a legacy insurance. */
export interface InsuranceTarget {
  policyId: number;
  patientId: number;
}

/**
 * Finds the policy and the patient of a legacy insurance, current or past. The policy may not be replicated yet.
 *
 * @throws NotFoundError if it does not exist or belongs to another practice
 */
export async function getInsuranceTarget(access: Access, insuranceId: number): Promise<InsuranceTarget> {
  const row = await db.first<InsuranceTarget>(sql`
    SELECT f.policy_id AS "policyId", f.patient_id AS "patientId" FROM (
      SELECT id AS policy_id, patient_id FROM policy WHERE patient_insurance = ${insuranceId}
      UNION ALL SELECT policy_id, patient_id FROM patient_insurance WHERE id = ${insuranceId}) f
    WHERE ${patientIsVisible(access, sql`f.patient_id`)} LIMIT 1`);
  if (!row) throw new NotFoundError("patient insurance");
  return row;
}

/**
 * Returns the latest check of a legacy insurance.
 *
 * @throws NotFoundError if the insurance does not exist or belongs to another practice
 * @throws DomainError eligibility_not_checked (404), if it was never checked
 */
export async function getLatestCheck(access: Access, insuranceId: number): Promise<CheckRow> {
  const { policyId } = await getInsuranceTarget(access, insuranceId);
  const row = await db.first<CheckRow>(sql`
    SELECT ${CHECK} FROM eligibility_check c JOIN policy p ON p.id = c.policy_id
    WHERE c.policy_id = ${policyId} AND ${patientIsVisible(access, sql`c.patient_id`)} ORDER BY c.id DESC LIMIT 1`);
  if (row) return row;
  throw new DomainError(
    "not_found",
    "Eligibility was never checked for this insurance. Send POST to its eligibility path to check it.",
    { reason: "eligibility_not_checked" },
  );
}

/** The number of checks of a practice in a period. */
export interface CheckCounts {
  total: number;
  failed: number;
}

/** Counts the checks of a practice from one day to another, both included, UTC. */
export async function countChecks(
  access: Access,
  practiceId: number,
  { startDate, endDate }: { startDate: string; endDate: string },
): Promise<CheckCounts> {
  const failed: EligibilityStatus = "error";
  return db.one<CheckCounts>(sql`
    SELECT count(*) AS total, count(*) FILTER (WHERE c.status = ${failed}::eligibility_status) AS failed
    FROM eligibility_check c
    WHERE c.practice_id = ${practiceId} AND c.practice_id = ANY(${access.practices})
      AND c.checked_date >= ${`${startDate}T00:00:00Z`}::timestamptz
      AND c.checked_date < ${`${endDate}T00:00:00Z`}::timestamptz + interval '1 day'`);
}
