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
  const [policies, versions] = await Promise.all([
    selectPolicies(read, inList(sql`p.patient_id`, patientIds)),
    read.rows<PolicyVersion & Row<"policy_version", "policy_id" | "source">>(sql`
      SELECT DISTINCT ON (policy_id) policy_id, version, kind, snapshot, occurred_date, source FROM policy_version
      WHERE ${inList(sql`patient_id`, patientIds)} ORDER BY policy_id, version DESC`),
  ]);
  const latest = new Map(versions.map(({ policy_id, ...version }) => [policy_id, version]));
  return policies.map((policy) => ({ latest: latest.get(policy.id) ?? null, ...policy }));
}

/** A policy and its latest version, without their contents. */
export type VersionedPolicy = Row<"policy", "id" | "patient_id"> & {
  latest: Row<"policy_version", "version" | "source"> | null;
};

/** Lists all policies of these patients with the numbers of their latest versions. */
export async function listVersionedPolicies(read: Db, patientIds: readonly number[]): Promise<VersionedPolicy[]> {
  const rows = await read.rows<
    Row<"policy", "id" | "patient_id"> & { version: number | null; source: ChangeSource }
  >(sql`
    SELECT p.id, p.patient_id, v.version, v.source FROM policy p LEFT JOIN LATERAL (
      SELECT version, source FROM policy_version WHERE policy_id = p.id ORDER BY version DESC LIMIT 1) v ON TRUE
    WHERE p.patient_id = ANY(${[...patientIds]}::bigint[])`);
  return rows.map(({ version, source, ...policy }) => ({
    ...policy,
    latest: version === null ? null : { version, source },
  }));
}

/** Lists the versions of the policies of these patients before the current ones. */
export async function listEarlierVersions(
  read: Db,
  patientIds: readonly number[],
): Promise<(PolicyVersion & Row<"policy_version", "policy_id">)[]> {
  return read.rows(sql`
    SELECT v.policy_id, v.version, v.kind, v.snapshot, v.occurred_date FROM policy_version v
      JOIN policy p ON p.id = v.policy_id AND v.version < p.version
    WHERE ${inList(sql`v.patient_id`, patientIds)} ORDER BY v.policy_id, v.version`);
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

/** Lists the versions that added the current images of the policies of these patients. */
export async function listImageSpans(read: Db, patientIds: readonly number[]): Promise<ImageSpan[]> {
  return read.rows<ImageSpan>(sql`
    SELECT i.policy_id, i.image_rank, i.from_version FROM policy p JOIN policy_card_image i ON i.policy_id = p.id
    WHERE ${inList(sql`p.patient_id`, patientIds)} AND i.to_version IS NULL ORDER BY i.policy_id, i.image_rank`);
}

/** Returns the source of the last change to each policy of these patients. */
export async function listLastSources(read: Db, patientIds: readonly number[]): Promise<Map<number, ChangeSource>> {
  const rows = await read.rows<Row<"policy_version", "policy_id" | "source">>(sql`
    SELECT DISTINCT ON (policy_id) policy_id, source FROM policy_version
    WHERE ${inList(sql`patient_id`, patientIds)} ORDER BY policy_id, version DESC`);
  return new Map(rows.map((row) => [row.policy_id, row.source]));
}

/** Returns the IDs of a practice's companies, among these, that active or archived policies refer to. */
export async function listCompaniesWithPolicies(
  read: Db,
  practiceId: number,
  ids: readonly number[],
): Promise<number[]> {
  const rows = await read.rows(
    kysely
      .selectFrom("policy")
      .select("insurance_company")
      .distinct()
      .where("practice_id", "=", practiceId)
      .where("insurance_company", "=", anyOf(ids)),
  );
  return rows.flatMap(({ insurance_company }) => insurance_company ?? []);
}
