import { type Db, sql } from "@/lib/platform/db/sql";

/** Reserves IDs for policies whose legacy insurances are written first, so that replication can be repeated safely. */
export async function allocatePolicyIds(db: Db, count: number): Promise<number[]> {
  const rows = await db.rows<{ id: number }>(
    sql`SELECT nextval(pg_get_serial_sequence('policy', 'id')) AS id FROM generate_series(1, ${count}::int)`,
  );
  return rows.map(({ id }) => id);
}

/** Reserves IDs for legacy insurances whose policies are written first. */
export async function allocateInsuranceIds(db: Db, count: number): Promise<number[]> {
  const rows = await db.rows<{ id: number }>(
    sql`SELECT nextval(pg_get_serial_sequence('patient_insurance', 'id')) AS id FROM generate_series(1, ${count}::int)`,
  );
  return rows.map(({ id }) => id);
}
