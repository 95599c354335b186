// Whether the eligibility of an insurance was verified. Checks are made in lib/insurance/eligibility.
import { daysAgo } from "@/lib/platform/clock";
import { type Sql, sql } from "@/lib/platform/db/sql";
import { VERIFIED_DAYS } from "./verified-days";

/**
 * Returns the condition that a check asked about another payer or member ID than a policy or legacy insurance has now.
 *
 * @param check the table of the check
 * @param insurance the table with `carrier` and `member_id`
 */
export const checkIsOutdated = (check: Sql, insurance: Sql): Sql => sql`coalesce(${check}.asked <> jsonb_build_object(
  'carrier', coalesce(${insurance}.carrier, ''), 'member_id', coalesce(${insurance}.member_id, '')), false)`;

/**
 * Returns the condition that the eligibility of a legacy insurance was not verified recently.
 *
 * @param insurance the table of the insurance. Checks are compared by practice, so that the recent ones are read from one index
 */
export const isNotVerified = (insurance: Sql): Sql => sql`NOT EXISTS (SELECT FROM eligibility_check e
  WHERE e.practice_id = ${insurance}.practice_id AND e.policy_id = ${insurance}.policy_id
    AND e.checked_date >= ${daysAgo(VERIFIED_DAYS)}::timestamptz AND e.status <> 'error' AND NOT ${checkIsOutdated(sql`e`, insurance)})`;
