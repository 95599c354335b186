import { type Sql, sql } from "@/lib/platform/db/sql";

/** For other domains' queries: the service locations of a practice as a JSON list of their records, by id. */
export function serviceLocationsOf(practiceId: Sql): Sql {
  const utc = (column: Sql) => sql`to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
  return sql`(SELECT coalesce(json_agg(json_build_object('id', r.id, 'practice_id', r.practice_id, 'data', r.data,
      'created_date', ${utc(sql`r.created_date`)}, 'deleted_date', NULL) ORDER BY r.id), '[]')
    FROM resource_record r WHERE r.practice_id = ${practiceId} AND r.resource = 'service_locations'
      AND r.deleted_date IS NULL)`;
}
