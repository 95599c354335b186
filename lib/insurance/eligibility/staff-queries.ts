import type { Access } from "@/lib/access/identity/access";
import { checkIsOutdated } from "@/lib/insurance/patients/eligibility";
import { patientIsVisible } from "@/lib/insurance/patients/queries";
import { getPolicy } from "@/lib/insurance/policies/queries";
import type { Row } from "@/lib/platform/db/rows";
import { db, empty, sql } from "@/lib/platform/db/sql";
import { NotFoundError } from "@/lib/platform/errors";

type ShownRow = Row<
  "eligibility_check",
  "id" | "status" | "provider" | "details" | "actor" | "source" | "checked_date"
>;

const SHOWN = sql`c.id, c.status, c.provider, c.details, c.actor, c.source, c.checked_date`;

/** A check as staff pages show it, without its report. */
export type ShownCheck = ReturnType<typeof toShownCheck>;

/** Maps a check for staff pages. */
export function toShownCheck(row: ShownRow) {
  const { id, status, provider, details, actor, source, checked_date } = row;
  return { id, status, provider, details, by: actor.name, source, checked_date };
}

/** The latest check of a policy. */
export interface LatestCheck extends ShownCheck {
  /** Whether the policy has another payer or member ID than the one that was checked. */
  outdated: boolean;
  /** Whether the payer's last answer is that the policy is inactive. Failed checks don't count, and neither does an outdated answer. */
  denied: boolean;
}

/** Returns the latest check of each policy of a patient, by policy, or of one policy. */
export async function findLatestChecks(
  access: Access,
  patientId: number,
  policyId: number | null = null,
): Promise<Map<number, LatestCheck>> {
  const rows = await db.rows<
    ShownRow & Row<"eligibility_check", "policy_id"> & Pick<LatestCheck, "outdated" | "denied">
  >(sql`
    SELECT DISTINCT ON (c.policy_id) c.policy_id, ${SHOWN}, ${checkIsOutdated(sql`c`, sql`p`)} AS outdated,
      coalesce((SELECT a.status = 'inactive' AND NOT ${checkIsOutdated(sql`a`, sql`p`)} FROM eligibility_check a
        WHERE a.policy_id = p.id AND a.status <> 'error' ORDER BY a.id DESC LIMIT 1), false) AS denied
    FROM eligibility_check c JOIN policy p ON p.id = c.policy_id
    WHERE c.patient_id = ${patientId} AND ${patientIsVisible(access, sql`c.patient_id`)}
      ${policyId === null ? empty : sql`AND c.policy_id = ${policyId}`}
    ORDER BY c.policy_id, c.id DESC`);
  return new Map(
    rows.map((row) => [row.policy_id, { ...toShownCheck(row), outdated: row.outdated, denied: row.denied }]),
  );
}

/** A page shows this many checks. Older ones are kept. */
const MAX_SHOWN = 50;

/**
 * Lists the latest checks of a policy, newest first.
 *
 * @throws NotFoundError, GoneError
 */
export async function listChecks(access: Access, patientId: number, policyId: number): Promise<ShownCheck[]> {
  await getPolicy(access, patientId, policyId);
  const rows = await db.rows<ShownRow>(sql`
    SELECT ${SHOWN} FROM eligibility_check c WHERE c.policy_id = ${policyId} ORDER BY c.id DESC LIMIT ${MAX_SHOWN}`);
  return rows.map(toShownCheck);
}

/**
 * Returns a check of a policy with its full report.
 *
 * @throws NotFoundError, GoneError
 */
export async function getCheck(access: Access, patientId: number, policyId: number, checkId: number) {
  await getPolicy(access, patientId, policyId);
  const row = await db.first<ShownRow & Row<"eligibility_check", "report">>(sql`
    SELECT ${SHOWN}, c.report FROM eligibility_check c WHERE c.id = ${checkId} AND c.policy_id = ${policyId}`);
  if (!row) throw new NotFoundError("eligibility check");
  return { ...toShownCheck(row), report: row.report };
}
export type CheckWithReport = Awaited<ReturnType<typeof getCheck>>;
