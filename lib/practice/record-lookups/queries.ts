import type { Row } from "@/lib/platform/db/rows";
import { type Db, type Sql, sql } from "@/lib/platform/db/sql";

// Lookups in `resource_record`, a table of `lib/records`, for the layers below it.

/** Returns the IDs for which this resource has neither a record in the practice nor one that all practices share. */
export async function findAbsentRecords(
  read: Db,
  { resource, practiceId, ids }: { resource: string; practiceId: number; ids: readonly number[] },
): Promise<number[]> {
  const rows = await read.rows<Row<"resource_record", "id">>(sql`
    SELECT wanted.id FROM unnest(${[...ids]}::bigint[]) AS wanted(id)
    WHERE NOT EXISTS (SELECT FROM resource_record r WHERE r.id = wanted.id AND r.resource = ${resource}
      AND (r.practice_id = ${practiceId} OR r.practice_id IS NULL) AND r.deleted_date IS NULL)`);
  return rows.map(({ id }) => id);
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
