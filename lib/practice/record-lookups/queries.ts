import { type Db, type Sql, sql } from "@/lib/platform/db/sql";

// Lookups of declared records for the layers below `lib/records`, which owns the table.

/** Returns those of these IDs that are neither records of this resource in this practice nor shared by all practices. */
export async function findAbsentRecords(
  read: Db,
  { resource, practiceId, ids }: { resource: string; practiceId: number; ids: readonly number[] },
): Promise<number[]> {
  const rows = await read.rows<{ id: number }>(sql`
    SELECT wanted.id FROM unnest(${[...ids]}::bigint[]) AS wanted(id)
    WHERE NOT EXISTS (SELECT FROM resource_record r WHERE r.id = wanted.id AND r.resource = ${resource}
      AND (r.practice_id = ${practiceId} OR r.practice_id IS NULL) AND r.deleted_date IS NULL)`);
  return rows.map(({ id }) => id);
}

/** A service location as selected by `serviceLocationsOf`. Dates are ISO 8601. */
export interface LocationRecord {
  id: number;
  practice_id: number;
  data: Readonly<Record<string, unknown>>;
  created_date: string;
  deleted_date: null;
}

/** Returns an expression for other queries: the service locations of a practice as a JSON list of records, by ID. */
export function serviceLocationsOf(practiceId: Sql): Sql {
  const utc = (column: Sql) => sql`to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
  return sql`(SELECT coalesce(json_agg(json_build_object('id', r.id, 'practice_id', r.practice_id, 'data', r.data,
      'created_date', ${utc(sql`r.created_date`)}, 'deleted_date', NULL) ORDER BY r.id), '[]')
    FROM resource_record r WHERE r.practice_id = ${practiceId} AND r.resource = 'service_locations'
      AND r.deleted_date IS NULL)`;
}
