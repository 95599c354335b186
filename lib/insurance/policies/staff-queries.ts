import type { Access } from "@/lib/access/identity/access";
import type { PlacedImage } from "@/lib/insurance/fields/card-image";
import { getPatient } from "@/lib/insurance/patients/queries";
import { kysely } from "@/lib/platform/db/kysely";
import type { Row } from "@/lib/platform/db/rows";
import { db, sql } from "@/lib/platform/db/sql";
import { NotFoundError } from "@/lib/platform/errors";
import { imageLimits } from "@/lib/platform/storage/process-image";
import { signedImageUrl } from "@/lib/platform/storage/signed-url";
import type { StoredImage } from "@/lib/platform/storage/stored-image";
import { getPracticeRules } from "@/lib/practice/practices/queries";
import { requireVersionHistory } from "@/lib/practice/practices/rules";
import { toStaffPolicyDto, toStaffVersionDto } from "./dto";
import { getPolicy, getVersion } from "./queries";
import type { PolicyRow } from "./schema";
import { selectPolicies } from "./store";

/** The policies of a patient, and whether the practice uses Insurance Versioning. */
export interface PoliciesView {
  patient: { id: number; first_name: string; last_name: string; dob: string };
  /** The practice's Insurance Versioning switch. */
  versioning: boolean;
  /** Active policies by rank, then archived ones newest first. */
  policies: PolicyRow[];
}

/** One policy and the patient's active policies. */
export interface PolicyView extends PoliciesView {
  policy: PolicyRow;
}

/**
 * Returns all policies of a patient.
 *
 * @throws NotFoundError if the patient does not exist or belongs to another practice
 */
export async function viewPolicies(access: Access, patientId: number): Promise<PoliciesView> {
  return view(access, patientId, "all");
}

/**
 * Returns a policy for its page, with the patient, the patient's active policies and the practice's switch.
 *
 * @throws NotFoundError if it does not exist or belongs to another practice
 * @throws GoneError if it was purged
 */
export async function viewPolicy(access: Access, patientId: number, policyId: number): Promise<PolicyView> {
  const policy = await getPolicy(access, patientId, policyId);
  return { ...(await view(access, patientId, "active")), policy };
}

/** Returns the patient and the active policies, for the form of a new policy. */
export async function viewActivePolicies(access: Access, patientId: number): Promise<PoliciesView> {
  return view(access, patientId, "active");
}

async function view(access: Access, patientId: number, which: "active" | "all"): Promise<PoliciesView> {
  const { id, first_name, last_name, dob, practice_id } = await getPatient(access, patientId);
  const condition = sql`p.patient_id = ${id} AND (p.status = 'active' OR ${which === "all"})
    ORDER BY p.status, CASE WHEN p.status = 'active' THEN p.rank END NULLS LAST, p.archived_date DESC, p.id`;
  const [rules, policies] = await Promise.all([getPracticeRules(db, practice_id), selectPolicies(db, condition)]);
  return {
    patient: { id, first_name, last_name, dob },
    versioning: rules.insuranceVersioningEnabled,
    policies,
  };
}

/** The version that gave a field its value. */
export type LastChange = Row<"policy_version", "version" | "actor" | "source" | "occurred_date">;

/**
 * Requires that the practice of a patient shows version history to staff.
 *
 * @throws NotFoundError if the patient does not exist or belongs to another practice
 * @throws ConflictError versioning_disabled
 */
export async function requireVisibleHistory(access: Access, patientId: number): Promise<void> {
  const { practice_id } = await getPatient(access, patientId);
  requireVersionHistory(await getPracticeRules(db, practice_id));
}

/** A version for staff pages: the policy with its card images, and the last change to each field. */
export type VersionDetail = Awaited<ReturnType<typeof readVersions>>[number];

/**
 * Returns one version for staff pages.
 *
 * @throws NotFoundError if the policy or the version does not exist
 */
export async function readVersion(
  access: Access,
  patientId: number,
  policyId: number,
  version: number,
): Promise<VersionDetail> {
  const [detail] = await readVersions(access, patientId, policyId, [version]);
  if (!detail) throw new NotFoundError("version");
  return detail;
}

/**
 * Returns several versions for staff pages, in this order. Finding the last changes reads all earlier versions, so it is done only once.
 *
 * @throws NotFoundError if the policy or a version does not exist
 */
export async function readVersions(access: Access, patientId: number, policyId: number, versions: readonly number[]) {
  const rows = await Promise.all(versions.map((version) => getVersion(access, patientId, policyId, version)));
  const changes = await listLastChanges(policyId, versions);
  return rows.map((row) => {
    const card_images = row.snapshot.card_images.map(toShownImage);
    const last_changes = changes.get(row.version) ?? {};
    return { ...toStaffVersionDto(row), policy: { ...toStaffPolicyDto(row.snapshot), card_images }, last_changes };
  });
}

/** Returns the last change to each field up to each of these versions, without fields that never had a value. */
async function listLastChanges(
  policyId: number,
  versions: readonly number[],
): Promise<Map<number, Record<string, LastChange>>> {
  const rows = await db.rows<LastChange & { until: number; field: string }>(sql`
    WITH changes AS MATERIALIZED (
      SELECT field, version
      FROM (SELECT s.version, e.key AS field, e.value,
              lag(e.value, 1, 'null') OVER (PARTITION BY e.key ORDER BY s.version) AS before
            FROM policy_version s, jsonb_each(s.snapshot) e
            WHERE s.policy_id = ${policyId} AND s.version <= ${Math.max(...versions)}) c
      WHERE value <> before AND NOT (before = 'null' AND value = '[]')
        AND field NOT IN ('id', 'patient_id', 'practice_id', 'version', 'modified_date'))
    SELECT l.until, l.field, v.version, v.actor, v.source, v.occurred_date
    FROM (SELECT u.until, c.field, max(c.version) AS version
          FROM unnest(${[...versions]}::int[]) AS u(until) JOIN changes c ON c.version <= u.until
          GROUP BY u.until, c.field) l
    JOIN policy_version v ON v.policy_id = ${policyId} AND v.version = l.version
    ORDER BY l.field`);
  const found = new Map<number, Record<string, LastChange>>();
  for (const { until, field, ...change } of rows) found.set(until, { ...found.get(until), [field]: change });
  return found;
}

/** Maps an image for staff pages. Its URL has no host, because it has the same origin as the page. */
export function toShownImage(image: PlacedImage) {
  const { image_rank, content_type, bytes, width, height, sha256, created_date } = image;
  const { url, ttl } = signedImageUrl(image.image_key, ANY_HOST);
  const { pathname, search } = new URL(url);
  return { image_rank, content_type, bytes, width, height, sha256, url: pathname + search, ttl, created_date };
}

const ANY_HOST = new URL("http://localhost");

/** Returns a policy's current and former images. Former images come latest first, with the versions that showed them. */
export async function readCardImages(access: Access, patientId: number, policyId: number) {
  const policy = await getPolicy(access, patientId, policyId);
  const former = await db.rows(
    kysely
      .selectFrom("policy_card_image")
      .select(["image_rank", "image_key", "sha256", "content_type", "bytes", "width", "height", "created_date"])
      .select(["from_version", "to_version"])
      .where("policy_id", "=", policyId)
      .where("to_version", "is not", null)
      .orderBy("to_version", "desc")
      .orderBy("image_rank")
      .limit(100)
      .$narrowType<Pick<PlacedImage, "content_type"> & { to_version: number }>(),
  );
  return {
    version: policy.version,
    status: policy.status,
    limits: imageLimits(),
    images: policy.card_images.map(toShownImage),
    former: former.map((image) => ({
      ...toShownImage(image),
      from_version: image.from_version,
      to_version: image.to_version - 1,
    })),
  };
}

/**
 * Finds the image that a version of a policy had at an image rank. It is still stored, so it can be restored.
 *
 * @throws NotFoundError if the policy, the version or the image does not exist
 */
export async function getFormerImage(
  access: Access,
  patientId: number,
  policyId: number,
  at: { version: number; imageRank: number },
): Promise<StoredImage> {
  const { snapshot } = await getVersion(access, patientId, policyId, at.version);
  const found = snapshot.card_images.find(({ image_rank }) => image_rank === at.imageRank);
  if (!found) throw new NotFoundError("card image");
  const { image_rank: _place, ...image } = found;
  return image;
}
