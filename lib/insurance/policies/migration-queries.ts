import type { ChangeSource } from "@/lib/access/identity/access";
import { anyOf, kysely } from "@/lib/platform/db/kysely";
import type { Row } from "@/lib/platform/db/rows";
import { type Db, inList, sql } from "@/lib/platform/db/sql";
import type { PolicyRow } from "./schema";
import { selectPolicies } from "./store";

// Statements that conversion and verification run for every batch are SQL (ADR 0188).

/** A policy with its latest version. A difference between the two means that the table was changed directly. */
export type PolicyWithVersion = PolicyRow & { latest: (PolicyVersion & Row<"policy_version", "source">) | null };

/** A version of a policy: the whole policy, what happened, and when it took effect. */
export type PolicyVersion = Row<"policy_version", "version" | "kind" | "snapshot" | "occurred_date">;

/** Lists all policies of these patients, including archived ones, each with its latest version. */
export async function listPoliciesWithVersions(read: Db, patientIds: readonly number[]): Promise<PolicyWithVersion[]> {
  const policies = await selectPolicies(read, inList(sql`p.patient_id`, patientIds));
  const versions = await read.rows<PolicyVersion & Row<"policy_version", "policy_id" | "source">>(sql`
    SELECT DISTINCT ON (policy_id) policy_id, version, kind, snapshot, occurred_date, source FROM policy_version
    WHERE ${inList(sql`patient_id`, patientIds)} ORDER BY policy_id, version DESC`);
  const latest = new Map(versions.map(({ policy_id, ...version }) => [policy_id, version]));
  return policies.map((policy) => ({ ...policy, latest: latest.get(policy.id) ?? null }));
}

/** Lists the versions of these policies before the current one. */
export async function listEarlierVersions(
  read: Db,
  policyIds: readonly number[],
): Promise<(PolicyVersion & Row<"policy_version", "policy_id">)[]> {
  return read.rows(sql`
    SELECT v.policy_id, v.version, v.kind, v.snapshot, v.occurred_date FROM policy_version v
      JOIN policy p ON p.id = v.policy_id AND v.version < p.version
    WHERE ${inList(sql`v.policy_id`, policyIds)} ORDER BY v.policy_id, v.version`);
}

/** Counts the versions of each policy of these patients. */
export async function countVersions(read: Db, patientIds: readonly number[]): Promise<Map<number, number>> {
  const rows = await read.rows<Row<"policy_version", "policy_id"> & { versions: number }>(sql`
    SELECT policy_id, count(*) AS versions FROM policy_version
    WHERE ${inList(sql`patient_id`, patientIds)} GROUP BY policy_id`);
  return new Map(rows.map(({ policy_id, versions }) => [policy_id, versions]));
}

/** The version that added a current image of a policy. */
export type ImageSpan = Row<"policy_card_image", "policy_id" | "image_rank" | "from_version">;

/** Lists the versions that added the current images of these policies. */
export async function listImageSpans(read: Db, policyIds: readonly number[]): Promise<ImageSpan[]> {
  return read.rows<ImageSpan>(sql`
    SELECT policy_id, image_rank, from_version FROM policy_card_image
    WHERE ${inList(sql`policy_id`, policyIds)} AND to_version IS NULL ORDER BY policy_id, image_rank`);
}

/** Returns the source of the last change to each policy of these patients. */
export async function listLastSources(read: Db, patientIds: readonly number[]): Promise<Map<number, ChangeSource>> {
  const rows = await read.rows<Row<"policy_version", "policy_id" | "source">>(sql`
    SELECT DISTINCT ON (policy_id) policy_id, source FROM policy_version
    WHERE ${inList(sql`patient_id`, patientIds)} ORDER BY policy_id, version DESC`);
  return new Map(rows.map((row) => [row.policy_id, row.source]));
}

/** Returns the IDs of the companies, among these, that active or archived policies refer to. */
export async function listCompaniesWithPolicies(read: Db, ids: readonly number[]): Promise<number[]> {
  const rows = await read.rows(
    kysely.selectFrom("policy").select("insurance_company").distinct().where("insurance_company", "=", anyOf(ids)),
  );
  return rows.flatMap(({ insurance_company }) => insurance_company ?? []);
}
