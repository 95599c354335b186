import type { ChangeSource } from "@/lib/access/identity/origin";
import { inList } from "@/lib/platform/db/page";
import { type Db, sql } from "@/lib/platform/db/sql";
import { selectPolicies } from "./queries";
import type { PolicyRow } from "./schema";

/** A policy beside its latest version: what somebody wrote behind the application's back shows between the two. */
export interface PolicyWithVersion extends PolicyRow {
  latest: (PolicyVersion & { source: ChangeSource }) | null;
}

/** A version of a policy: the policy whole, what happened, and from when it holds. */
export interface PolicyVersion {
  version: number;
  kind: string;
  snapshot: PolicyRow;
  /** ISO 8601 */
  occurred_date: string;
}

/** Every policy of these patients, archived ones too, each beside its latest version. */
export async function listPoliciesWithVersions(read: Db, patientIds: readonly number[]): Promise<PolicyWithVersion[]> {
  const policies = await selectPolicies(read, inList(sql`p.patient_id`, patientIds));
  const versions = await read.rows<PolicyVersion & { policy_id: number; source: ChangeSource }>(sql`
    SELECT DISTINCT ON (policy_id) policy_id, version, kind, snapshot, occurred_date, source FROM policy_version
    WHERE ${inList(sql`patient_id`, patientIds)} ORDER BY policy_id, version DESC`);
  const latest = new Map(versions.map(({ policy_id, ...version }) => [policy_id, version]));
  return policies.map((policy) => ({ ...policy, latest: latest.get(policy.id) ?? null }));
}

/** The versions of these policies before their present one. */
export async function listEarlierVersions(
  read: Db,
  policyIds: readonly number[],
): Promise<(PolicyVersion & { policy_id: number })[]> {
  return read.rows(sql`
    SELECT v.policy_id, v.version, v.kind, v.snapshot, v.occurred_date FROM policy_version v
      JOIN policy p ON p.id = v.policy_id AND v.version < p.version
    WHERE ${inList(sql`v.policy_id`, policyIds)} ORDER BY v.policy_id, v.version`);
}

/** How many versions each policy of these patients has. */
export async function countVersions(read: Db, patientIds: readonly number[]): Promise<Map<number, number>> {
  const rows = await read.rows<{ policy_id: number; versions: number }>(sql`
    SELECT policy_id, count(*) AS versions FROM policy_version
    WHERE ${inList(sql`patient_id`, patientIds)} GROUP BY policy_id`);
  return new Map(rows.map(({ policy_id, versions }) => [policy_id, versions]));
}

/** The version from which a policy shows an image that it shows now. */
export interface ImageSpan {
  policy_id: number;
  image_rank: number;
  from_version: number;
}

/** From which version these policies show the images they show now. */
export async function listImageSpans(read: Db, policyIds: readonly number[]): Promise<ImageSpan[]> {
  return read.rows<ImageSpan>(sql`
    SELECT policy_id, image_rank, from_version FROM policy_card_image
    WHERE ${inList(sql`policy_id`, policyIds)} AND to_version IS NULL ORDER BY policy_id, image_rank`);
}

/** Through which door each policy of these patients was last changed. */
export async function listLastSources(read: Db, patientIds: readonly number[]): Promise<Map<number, ChangeSource>> {
  const rows = await read.rows<{ policy_id: number; source: ChangeSource }>(sql`
    SELECT DISTINCT ON (policy_id) policy_id, source FROM policy_version
    WHERE ${inList(sql`patient_id`, patientIds)} ORDER BY policy_id, version DESC`);
  return new Map(rows.map((row) => [row.policy_id, row.source]));
}

/** Which of these companies a policy refers to, active or archived. */
export async function listCompaniesOfPolicies(read: Db, ids: readonly number[]): Promise<number[]> {
  const rows = await read.rows<{ id: number }>(
    sql`SELECT DISTINCT insurance_company AS id FROM policy WHERE ${inList(sql`insurance_company`, ids)}`,
  );
  return rows.map(({ id }) => id);
}
