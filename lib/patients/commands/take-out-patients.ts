import { isoNow } from "@/lib/clock";
import { among } from "@/lib/db/page";
import { type Db, sql } from "@/lib/db/sql";
import { queueImageDeletion } from "@/lib/policies/commands/deleted-images";

/** Locks these patients for the rest of the transaction, in the order of their ids. @returns those that are there */
export async function lockPatients(tx: Db, ids: readonly number[]): Promise<Set<number>> {
  const rows = await tx.rows<{ id: number }>(
    sql`SELECT id FROM patient WHERE ${among(sql`id`, ids)} ORDER BY id FOR UPDATE`,
  );
  return new Set(rows.map(({ id }) => id));
}

/**
 * Takes locked patients out with their legacy records, cards and history: for undoing what made them, and nothing else. Their
 * policies must be gone. Whoever calls keeps what is given back, for it is all that is left of them.
 *
 * @returns what was taken out, by patient
 */
export async function takeOutPatients(tx: Db, ids: readonly number[]): Promise<Map<number, Record<string, unknown>>> {
  const rows = await tx.rows<{ id: number; removed: Record<string, unknown> }>(sql`
    SELECT p.id, jsonb_build_object('patient', to_jsonb(p),
      'insurances', (SELECT coalesce(jsonb_agg(to_jsonb(i) ORDER BY i.id), '[]') FROM patient_insurance i WHERE i.patient_id = p.id),
      'cards', (SELECT coalesce(jsonb_agg(to_jsonb(c) ORDER BY c.id), '[]') FROM legacy_card c WHERE c.patient_id = p.id),
      'versions', (SELECT coalesce(jsonb_agg(to_jsonb(v) ORDER BY v.version), '[]') FROM patient_version v WHERE v.patient_id = p.id)
    ) AS removed
    FROM patient p WHERE ${among(sql`p.id`, ids)}`);
  const images = await tx.rows<{ image_key: string }>(
    sql`SELECT DISTINCT image_key FROM legacy_card WHERE ${among(sql`patient_id`, ids)}`,
  );
  await tx.run(sql`SELECT set_config('crosswalk.removing_patient', ${ids.join(",")}, true)`);
  await tx.run(sql`DELETE FROM legacy_card WHERE ${among(sql`patient_id`, ids)}`);
  await tx.run(sql`DELETE FROM patient_insurance WHERE ${among(sql`patient_id`, ids)}`);
  await tx.run(sql`DELETE FROM patient_version WHERE ${among(sql`patient_id`, ids)}`);
  await tx.run(sql`DELETE FROM patient WHERE ${among(sql`id`, ids)}`);
  await queueImageDeletion(
    tx,
    images.map(({ image_key }) => image_key),
    isoNow(),
  );
  return new Map(rows.map(({ id, removed }) => [id, removed]));
}
