import { type Db, inList, sql } from "@/lib/platform/db/sql";
import type { Declarations, Mention } from "./load-rules";
import { NO_PRACTICE } from "./queries";
import { findAbsent } from "./reference-queries";
import { bulkLoadKey } from "./rules";
import type { RecordRow, Resource } from "./schema";

/** Where records are loaded: into a practice, or to be shared by all. */
export interface LoadTarget {
  resource: Resource;
  /** null for shared records. */
  practiceId: number | null;
}

/** Locks the records with these keys for the rest of the transaction, including deleted ones, which rows restore. */
export async function lockByKeys(
  read: Db,
  { resource, practiceId }: LoadTarget,
  keys: readonly string[],
): Promise<Map<string, RecordRow>> {
  const rows = await read.rows<RecordRow & { key: string }>(sql`
    SELECT k.value AS key, r.id, r.practice_id, r.patient_id, r.data, r.version, r.created_date, r.modified_date,
      r.deleted_date
    FROM resource_key k JOIN resource_record r ON r.id = k.record_id
    WHERE k.resource = ${resource.name} AND k.field = ${bulkLoadKey(resource)}
      AND k.practice_id = ${practiceId ?? NO_PRACTICE} AND ${inList(sql`k.value`, keys)}
    ORDER BY r.id DESC FOR NO KEY UPDATE OF r`);
  return new Map(rows.map(({ key, ...record }) => [key, record]));
}

/** Lists a page of the records that have a key, by key and ID. Deleted records are left out. */
export async function listKeys(
  read: Db,
  { resource, practiceId }: LoadTarget,
  page: { after: { key: string; id: number }; limit: number },
): Promise<{ key: string; id: number }[]> {
  return read.rows(sql`
    SELECT k.value AS key, k.record_id AS id FROM resource_key k JOIN resource_record r ON r.id = k.record_id
    WHERE k.resource = ${resource.name} AND k.field = ${bulkLoadKey(resource)}
      AND k.practice_id = ${practiceId ?? NO_PRACTICE} AND r.deleted_date IS NULL
      AND (k.value, k.record_id) > (${page.after.key}, ${page.after.id})
    ORDER BY k.value, k.record_id LIMIT ${page.limit}`);
}

/** Returns the ID of what a row refers to, if it exists. */
export type Find = (mention: Mention) => number | undefined;

const mentionKey = ({ target, by }: Mention) => ("id" in by ? `${target}#${by.id}` : `${target}=${by.key}`);

/** Looks up what rows refer to: records of the practice and shared ones. */
export async function findMentioned(
  read: Db,
  declarations: Declarations,
  { practiceId, mentions }: { practiceId: number | null; mentions: readonly Mention[] },
): Promise<Find> {
  const found = new Map<string, number>();
  for (const target of new Set(mentions.map((mention) => mention.target))) {
    const own = mentions.filter((mention) => mention.target === target);
    const ids = [...new Set(own.flatMap(({ by }) => ("id" in by ? [by.id] : [])))];
    const absent =
      ids.length === 0 ? [] : await findAbsent(read, { target, practiceId: practiceId ?? NO_PRACTICE, ids });
    for (const id of ids) if (!absent.includes(id)) found.set(`${target}#${id}`, id);
    const keys = [...new Set(own.flatMap(({ by }) => ("key" in by ? [by.key] : [])))];
    const resource = declarations.get(target);
    if (!resource || keys.length === 0) continue;
    for (const { key, id } of await listByKeys(read, { resource, practiceId }, keys)) found.set(`${target}=${key}`, id);
  }
  return (mention) => found.get(mentionKey(mention));
}

/** Lists records by their keys. The last record with a key counts: the practice's own before a shared one, then the oldest. */
async function listByKeys(
  read: Db,
  { resource, practiceId }: LoadTarget,
  keys: readonly string[],
): Promise<{ key: string; id: number }[]> {
  return read.rows(sql`
    SELECT k.value AS key, k.record_id AS id FROM resource_key k JOIN resource_record r ON r.id = k.record_id
    WHERE k.resource = ${resource.name} AND k.field = ${bulkLoadKey(resource)}
      AND ${inList(sql`k.practice_id`, [practiceId ?? NO_PRACTICE, NO_PRACTICE])} AND ${inList(sql`k.value`, keys)}
      AND r.deleted_date IS NULL
    ORDER BY k.practice_id, k.record_id DESC`);
}
