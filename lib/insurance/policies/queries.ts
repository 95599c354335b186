import type { PolicyStatus } from "@/generated/rows/enums";
import type { Access } from "@/lib/access/identity/access";
import { patientIsVisible, requirePatient } from "@/lib/insurance/patients/queries";
import {
  type PageRequest,
  type PageSlice,
  pageStatement,
  selectPage,
  toSlice,
  withCount,
} from "@/lib/platform/db/page";
import type { Row } from "@/lib/platform/db/rows";
import { type Db, empty, fixed, inList, json, db as pool, type Sql, sql } from "@/lib/platform/db/sql";
import { NotFoundError } from "@/lib/platform/errors";
import { toPolicyDto } from "./dto";
import { POLICIES_WITH_JSON, POLICY_JSON, type PolicyJson } from "./policy-json";
import type { PolicyRow } from "./schema";
import { POLICY_SELECTION, selectPolicies, throwAbsent } from "./store";

// Reads of policies are on the hot path, so they are SQL (ADR 0188).

const ONE_POLICY = fixed(
  (policyId: number, patientId: number, practices: readonly number[]) => sql`
    SELECT ${POLICY_SELECTION} FROM policy p
    WHERE p.id = ${policyId} AND p.patient_id = ${patientId} AND ${patientIsVisible({ practices }, sql`p.patient_id`)}`,
  { isShort: true },
);

/**
 * Returns one policy of a patient the caller may see.
 *
 * @throws NotFoundError if it does not exist or belongs to another practice
 * @throws GoneError if it was purged
 */
export async function getPolicy(access: Access, patientId: number, policyId: number): Promise<PolicyRow> {
  const policy = await pool.first<PolicyRow>(ONE_POLICY(policyId, patientId, access.practices));
  return policy ?? throwInvisible(access, patientId, policyId);
}

async function throwInvisible(access: Access, patientId: number, policyId: number): Promise<never> {
  await requirePatient(access, patientId);
  return throwAbsent(pool, patientId, policyId);
}

const ONE_POLICY_JSON = fixed(
  (policyId: number, patientId: number, practices: readonly number[]) => sql`
    SELECT ${POLICY_JSON} FROM ${POLICIES_WITH_JSON}
    WHERE p.id = ${policyId} AND p.patient_id = ${patientId} AND ${patientIsVisible({ practices }, sql`p.patient_id`)}`,
  { isShort: true },
);

/** Does the same, but returns the policy as JSON. */
export async function getPolicyJson(access: Access, patientId: number, policyId: number): Promise<PolicyJson> {
  const policy = await pool.first<PolicyJson>(ONE_POLICY_JSON(policyId, patientId, access.practices));
  return policy ?? throwInvisible(access, patientId, policyId);
}

export interface PolicyFilter {
  status?: PolicyStatus | undefined;
  rank?: number | undefined;
  /** ISO 8601: lists the policies in their state at this time. */
  as_of?: string | undefined;
}

/** A sort key: active policies by rank (unranked last), then archived ones newest first. */
const POSITION = sql`(CASE WHEN p.status = 'active' THEN '0' || coalesce(p.rank, 9) || lpad(p.id::text, 16, '0')
  ELSE '1' || lpad((1e15::bigint - (extract(epoch FROM p.archived_date) * 1000)::bigint)::text, 16, '0')
    || lpad((1e16::bigint - p.id)::text, 17, '0') END) COLLATE "C"`;

/** The default order of the list. */
export const BY_POSITION = "position";

const LIST = { columns: POLICY_JSON, from: POLICIES_WITH_JSON, id: sql`p.id` };
const ORDERINGS = { [BY_POSITION]: POSITION, created_date: sql`p.created_date` };

/** The first page in the default order, which almost all requests ask for. */
const FIRST_PAGE = fixed(
  (patientId: number, practices: readonly number[], rows: number) =>
    pageStatement(
      {
        ...LIST,
        where: sql`p.patient_id = ${patientId} AND ${patientIsVisible({ practices }, sql`p.patient_id`)}`,
        orderings: ORDERINGS,
        page: { limit: 1, order: BY_POSITION },
      },
      rows,
    ),
  { isShort: true },
);

/** Returns a page of a patient's policies as JSON. By default, active ones come first by rank, then archived ones newest first. */
export async function listPolicies(
  access: Access,
  patientId: number,
  filter: PolicyFilter,
  page: PageRequest,
): Promise<PageSlice<PolicyJson>> {
  const slice = await readPage(access, patientId, filter, page);
  if (slice.rows.length === 0) await requirePatient(access, patientId);
  return slice;
}

async function readPage(
  access: Access,
  patientId: number,
  { as_of, status, rank }: PolicyFilter,
  page: PageRequest,
): Promise<PageSlice<PolicyJson>> {
  const isFiltered = [as_of, status, rank, page.cursor, page.offset].some((value) => value !== undefined);
  if (!isFiltered && page.order === BY_POSITION) {
    const statement = FIRST_PAGE(patientId, access.practices, page.limit + 1);
    const slice = toSlice(await pool.rows<PolicyJson & { page_key: string }>(statement), page);
    const countStatement = () => sql`SELECT count(*) AS count FROM policy p
      WHERE p.patient_id = ${patientId} AND ${patientIsVisible(access, sql`p.patient_id`)}`;
    return withCount(slice, page, countStatement, pool);
  }
  const where = sql`p.patient_id = ${patientId} AND ${patientIsVisible(access, sql`p.patient_id`)}
    ${status ? sql`AND p.status = ${status}` : empty} ${rank ? sql`AND p.rank = ${rank}` : empty}`;
  const list = { ...LIST, where, orderings: ORDERINGS, page };
  return as_of === undefined ? selectPage<PolicyJson>(pool, list) : listAsOf(as_of, patientId, list);
}

async function listAsOf(
  asOf: string,
  patientId: number,
  list: { where: Sql; id: Sql; orderings: Record<string, Sql>; page: PageRequest },
): Promise<PageSlice<PolicyJson>> {
  const from = sql`
    (SELECT DISTINCT ON (policy_id) policy_id AS id, patient_id, snapshot, snapshot->>'status' AS status,
       (snapshot->>'rank')::int AS rank, (snapshot->>'archived_date')::timestamptz AS archived_date,
       (snapshot->>'created_date')::timestamptz AS created_date
     FROM policy_version WHERE patient_id = ${patientId} AND occurred_date <= ${asOf}::timestamptz
     ORDER BY policy_id, version DESC) p`;
  const slice = await selectPage<Row<"policy", "id"> & Row<"policy_version", "snapshot">>(pool, {
    ...list,
    columns: sql`p.id, p.snapshot`,
    from,
  });
  const rows = slice.rows.map(({ id, page_key, snapshot }) => {
    return { id, page_key, version: snapshot.version, json: JSON.stringify(toPolicyDto(snapshot)) };
  });
  return { ...slice, rows };
}

/** Lists a patient's active policies by rank. */
export function listActivePolicies(access: Access, patientId: number): Promise<PolicyRow[]> {
  const isVisible = patientIsVisible(access, sql`p.patient_id`);
  return selectPolicies(
    pool,
    sql`p.patient_id = ${patientId} AND p.status = 'active' AND ${isVisible} ORDER BY p.rank NULLS LAST, p.id LIMIT 100`,
  );
}

/** A version with the whole policy after the change and before it. */
export type VersionRow = Omit<Row<"policy_version">, "policy_id" | "patient_id"> & { previous: PolicyRow | null };

/** Returns a page of a policy's versions, oldest first, each with the previous snapshot. */
export async function listVersions(
  access: Access,
  patientId: number,
  policyId: number,
  page: PageRequest,
): Promise<PageSlice<VersionRow & { id: number }>> {
  await getPolicy(access, patientId, policyId);
  return selectPage(pool, {
    columns: VERSION_COLUMNS,
    from: VERSIONS,
    where: sql`v.policy_id = ${policyId}`,
    id: VERSION,
    orderings: { version: VERSION },
    page,
  });
}

/**
 * Returns one version of a policy, with the previous snapshot.
 *
 * @throws NotFoundError if the policy or the version does not exist
 */
export async function getVersion(
  access: Access,
  patientId: number,
  policyId: number,
  version: number,
): Promise<VersionRow> {
  await getPolicy(access, patientId, policyId);
  const row = await pool.first<VersionRow>(
    sql`SELECT ${VERSION_COLUMNS} FROM ${VERSIONS} WHERE v.policy_id = ${policyId} AND v.version = ${version}`,
  );
  if (!row) throw new NotFoundError("version");
  return row;
}

/** Returns the snapshots of policies at these versions, by policy ID. Versions that do not exist are omitted. */
export async function findSnapshots(
  read: Db,
  versions: readonly { id: number; version: number }[],
): Promise<Map<number, PolicyRow>> {
  const rows = await read.rows<Row<"policy", "id"> & Row<"policy_version", "snapshot">>(sql`
    SELECT v.policy_id AS id, v.snapshot
    FROM jsonb_to_recordset(${json(versions)}) AS w(id bigint, version int)
    JOIN policy_version v ON v.policy_id = w.id AND v.version = w.version`);
  return new Map(rows.map(({ id, snapshot }) => [id, snapshot]));
}

const VERSIONS = sql`policy_version v LEFT JOIN policy_version b ON b.policy_id = v.policy_id AND b.version = v.version - 1`;
const VERSION = sql`v.version`;
const VERSION_COLUMNS = sql`v.version AS id, v.version, v.kind, v.snapshot, b.snapshot AS previous, v.actor, v.source,
  v.reason, v.request_id, v.occurred_date, v.recorded_date`;

/** The number of policies and card images of a practice. */
export interface PolicyCount {
  active: number;
  archived: number;
  /** Active policies with more than one version. */
  changed: number;
  /** Card images that are linked to active policies. */
  images: number;
}

/** Counts the policies and card images of a practice. */
export async function countPolicies(read: Db, practiceId: number): Promise<PolicyCount> {
  return read.one<PolicyCount>(sql`
    SELECT count(*) FILTER (WHERE status = 'active') AS active,
      count(*) FILTER (WHERE status = 'archived') AS archived,
      count(*) FILTER (WHERE status = 'active' AND version > 1) AS changed,
      (SELECT count(*) FROM policy_card_image i JOIN policy p ON p.id = i.policy_id
       WHERE p.practice_id = ${practiceId} AND p.status = 'active' AND i.to_version IS NULL) AS images
    FROM policy WHERE practice_id = ${practiceId}`);
}

/** Selects the patients of a practice's policies, without deleted patients: `id` and `patient`. */
export function selectPolicyPatients(access: Pick<Access, "practices">, ids: readonly number[]): Sql {
  return sql`SELECT p.id, p.patient_id AS patient FROM policy p
    WHERE ${inList(sql`p.id`, ids)} AND ${patientIsVisible(access, sql`p.patient_id`)}`;
}
