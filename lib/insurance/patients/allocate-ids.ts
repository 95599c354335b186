import type { Row } from "@/lib/platform/db/rows";
import { type Db, sql } from "@/lib/platform/db/sql";

/** Takes the next of the reserved IDs. */
export function takeId(ids: number[]): number {
  const id = ids.shift();
  if (id === undefined) throw new Error("not enough IDs were reserved");
  return id;
}

/** Reserves IDs for patients that are imported. A subquery looks up the sequence once, here and below, instead of for each ID. */
export async function allocatePatientIds(db: Db, count: number): Promise<number[]> {
  const rows = await db.rows<Row<"patient", "id">>(
    sql`SELECT nextval((SELECT pg_get_serial_sequence('patient', 'id'))) AS id FROM generate_series(1, ${count}::int)`,
  );
  return rows.map(({ id }) => id);
}

/** Reserves IDs for policies whose legacy insurances are written first, so that replication can be repeated safely. */
export async function allocatePolicyIds(db: Db, count: number): Promise<number[]> {
  const rows = await db.rows<Row<"policy", "id">>(
    sql`SELECT nextval((SELECT pg_get_serial_sequence('policy', 'id'))) AS id FROM generate_series(1, ${count}::int)`,
  );
  return rows.map(({ id }) => id);
}

/** Reserves IDs for legacy insurances whose policies are written first. */
export async function allocateInsuranceIds(db: Db, count: number): Promise<number[]> {
  const rows = await db.rows<Row<"patient_insurance", "id">>(
    sql`SELECT nextval((SELECT pg_get_serial_sequence('patient_insurance', 'id'))) AS id FROM generate_series(1, ${count}::int)`,
  );
  return rows.map(({ id }) => id);
}
