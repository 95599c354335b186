import { isoNow } from "@/lib/clock";
import { among } from "@/lib/db/page";
import { type Db, sql } from "@/lib/db/sql";
import { queueImageDeletion } from "./deleted-images";

/** A policy that was taken out, with its history and its images, as the tables had them. */
type RemovedPolicy = Record<string, unknown>;

/**
 * Takes policies out with their history: for undoing what made them, and nothing else. Whoever calls keeps what is given back,
 * for it is all that is left of them; their images go once nothing refers to them.
 *
 * @returns what was taken out, by patient
 */
export async function takeOutPolicies(
  tx: Db,
  which: { patients: readonly number[] } | { policies: readonly number[] },
): Promise<Map<number, RemovedPolicy[]>> {
  const where = "patients" in which ? among(sql`p.patient_id`, which.patients) : among(sql`p.id`, which.policies);
  const rows = await tx.rows<{ id: number; patient_id: number; policy: RemovedPolicy }>(sql`
    SELECT p.id, p.patient_id, to_jsonb(p) || jsonb_build_object(
      'versions', (SELECT coalesce(jsonb_agg(to_jsonb(v) ORDER BY v.version), '[]') FROM policy_version v WHERE v.policy_id = p.id),
      'images', (SELECT coalesce(jsonb_agg(to_jsonb(i) ORDER BY i.id), '[]') FROM policy_card_image i WHERE i.policy_id = p.id)
    ) AS policy
    FROM policy p WHERE ${where} ORDER BY p.id`);
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return new Map();
  const images = await tx.rows<{ image_key: string }>(
    sql`SELECT DISTINCT image_key FROM policy_card_image WHERE ${among(sql`policy_id`, ids)}`,
  );
  await tx.run(sql`SELECT set_config('crosswalk.removing_policy', ${ids.join(",")}, true)`);
  await tx.run(sql`DELETE FROM policy WHERE ${among(sql`id`, ids)}`);
  await queueImageDeletion(
    tx,
    images.map(({ image_key }) => image_key),
    isoNow(),
  );
  const removed = new Map<number, RemovedPolicy[]>();
  for (const { patient_id, policy } of rows) removed.set(patient_id, [...(removed.get(patient_id) ?? []), policy]);
  return removed;
}
