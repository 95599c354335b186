import { anyOf, kysely } from "@/lib/platform/db/kysely";
import type { Row } from "@/lib/platform/db/rows";
import { type Db, type Sql, sql } from "@/lib/platform/db/sql";

// Lookups in `resource_record`, a table of `lib/records`, for the layers below it.

/** Returns the IDs for which this resource has neither a record in the practice nor one that all practices share. */
export async function findAbsentRecords(
  read: Db,
  { resource, practiceId, ids }: { resource: string; practiceId: number; ids: readonly number[] },
): Promise<number[]> {
  const rows = await read.rows(
    kysely
      .selectFrom("resource_record")
      .select("id")
      .where("id", "=", anyOf(ids))
      .where("resource", "=", resource)
      .where((record) => record.or([record("practice_id", "=", practiceId), record("practice_id", "is", null)]))
      .where("deleted_date", "is", null),
  );
  const found = new Set(rows.map(({ id }) => id));
  return ids.filter((id) => !found.has(id));
}

/** A service location as `selectServiceLocations` returns it. Times are ISO 8601. */
export interface LocationRecord extends Row<"resource_record", "id" | "created_date"> {
  practice_id: number;
  data: Readonly<Record<string, unknown>>;
  deleted_date: null;
}

/** Returns an SQL expression that selects the service locations of a practice as a JSON array, by ID. */
export function selectServiceLocations(practiceId: Sql): Sql {
  const utc = (column: Sql) => sql`to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
  return sql`(SELECT coalesce(json_agg(json_build_object('id', r.id, 'practice_id', r.practice_id, 'data', r.data,
      'created_date', ${utc(sql`r.created_date`)}, 'deleted_date', NULL) ORDER BY r.id), '[]')
    FROM resource_record r WHERE r.practice_id = ${practiceId} AND r.resource = 'service_locations'
      AND r.deleted_date IS NULL)`;
}
