import type { Access } from "@/lib/access/identity/access";
import type { Row } from "@/lib/platform/db/rows";
import { db, inList, type Sql, sql } from "@/lib/platform/db/sql";
import type { RecordType } from "./commands";

/** Returns a subquery for the source of a record's last change. */
export function lastChangeSource(type: RecordType, id: Sql): Sql {
  return sql`(SELECT v.source FROM record_version v
    WHERE v.record_type = ${type} AND v.record_id = ${id} ORDER BY v.version DESC LIMIT 1)`;
}

/** A change to a practice-level record. */
export type RecordChange = Row<
  "record_version",
  "record_id" | "version" | "kind" | "changes" | "actor" | "source" | "reason" | "occurred_date"
>;

/**
 * Lists the changes to records of one type in the caller's practices, newest first.
 *
 * @param fields only changes to at least one of these fields
 */
export async function listRecordChanges(
  access: Access,
  { type, fields, limit }: { type: RecordType; fields?: readonly string[]; limit: number },
): Promise<RecordChange[]> {
  const touched = fields ? sql`changes ?| ${[...fields]}::text[]` : sql`TRUE`;
  return db.rows<RecordChange>(sql`
    SELECT record_id, version, kind, changes, actor, source, reason, occurred_date FROM record_version
    WHERE record_type = ${type} AND ${inList(sql`practice_id`, access.practices)} AND ${touched}
    ORDER BY recorded_date DESC, record_id DESC, version DESC LIMIT ${limit}`);
}
