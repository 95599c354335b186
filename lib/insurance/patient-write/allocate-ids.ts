import { type Db, sql } from "@/lib/platform/db/sql";

/** Reserves ids for policies whose legacy twins are to be made first, so that a delivery can be repeated safely. */
export async function allocatePolicyIds(db: Db, count: number): Promise<number[]> {
  const rows = await db.rows<{ id: number }>(
    sql`SELECT nextval(pg_get_serial_sequence('policy', 'id')) AS id FROM generate_series(1, ${count}::int)`,
  );
  return rows.map(({ id }) => id);
}

/** Reserves ids for legacy insurances whose policies are to be made first. */
export async function allocateInsuranceIds(db: Db, count: number): Promise<number[]> {
  const rows = await db.rows<{ id: number }>(
    sql`SELECT nextval(pg_get_serial_sequence('patient_insurance', 'id')) AS id FROM generate_series(1, ${count}::int)`,
  );
  return rows.map(({ id }) => id);
}
