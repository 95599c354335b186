import { among } from "@/lib/db/page";
import { type Db, sql } from "@/lib/db/sql";
import type { ChangeSource } from "@/lib/history/origin";
import { selectPolicies } from "./queries";
import type { PolicyRow } from "./schema";

/** A policy beside its latest version: what somebody wrote behind the application's back shows between the two. */
export interface PolicyWithVersion extends PolicyRow {
  latest: { version: number; snapshot: PolicyRow; source: ChangeSource } | null;
}

/** Every policy of these patients, archived ones too, each beside its latest version. */
export async function listPoliciesWithVersions(read: Db, patientIds: readonly number[]): Promise<PolicyWithVersion[]> {
  const policies = await selectPolicies(read, among(sql`p.patient_id`, patientIds));
  const versions = await read.rows<{
    policy_id: number;
    version: number;
    snapshot: PolicyRow;
    source: ChangeSource;
  }>(sql`
    SELECT DISTINCT ON (policy_id) policy_id, version, snapshot, source FROM policy_version
    WHERE ${among(sql`patient_id`, patientIds)} ORDER BY policy_id, version DESC`);
  const latest = new Map(versions.map(({ policy_id, ...version }) => [policy_id, version]));
  return policies.map((policy) => ({ ...policy, latest: latest.get(policy.id) ?? null }));
}

/** Through which door each policy of these patients was last changed. */
export async function listLastSources(read: Db, patientIds: readonly number[]): Promise<Map<number, ChangeSource>> {
  const rows = await read.rows<{ policy_id: number; source: ChangeSource }>(sql`
    SELECT DISTINCT ON (policy_id) policy_id, source FROM policy_version
    WHERE ${among(sql`patient_id`, patientIds)} ORDER BY policy_id, version DESC`);
  return new Map(rows.map((row) => [row.policy_id, row.source]));
}

/** Which of these companies a policy refers to, active or archived. */
export async function listCompaniesOfPolicies(read: Db, ids: readonly number[]): Promise<number[]> {
  const rows = await read.rows<{ id: number }>(
    sql`SELECT DISTINCT insurance_company AS id FROM policy WHERE ${among(sql`insurance_company`, ids)}`,
  );
  return rows.map(({ id }) => id);
}
