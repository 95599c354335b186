import { type Sql, sql } from "@/lib/platform/db/sql";
import type { RecordType } from "./commands";

/** For other domains' queries: through which door a record was last changed. */
export function lastSourceOf(type: RecordType, id: Sql): Sql {
  return sql`(SELECT v.source FROM record_version v
    WHERE v.record_type = ${type} AND v.record_id = ${id} ORDER BY v.version DESC LIMIT 1)`;
}
