import { among } from "@/lib/platform/db/page";
import { type Db, sql } from "@/lib/platform/db/sql";
import type { Declarations, Mention } from "./load-rules";
import { NO_PRACTICE } from "./queries";
import { findAbsent } from "./reference-queries";
import { bulkLoadKey } from "./rules";
import type { RecordRow, Resource } from "./schema";

/** Whose records are loaded: a practice's, or everybody's. */
export interface Home {
  resource: Resource;
  practiceId: number | null;
}

/**
 * The records that are known by these keys, held for the rest of the transaction; those that were removed among them, which
 * a row brings back.
 */
export async function lockNamed(
  read: Db,
  { resource, practiceId }: Home,
  keys: readonly string[],
): Promise<Map<string, RecordRow>> {
  const rows = await read.rows<RecordRow & { key: string }>(sql`
    SELECT k.value AS key, r.id, r.practice_id, r.patient_id, r.data, r.version, r.created_date, r.modified_date,
      r.deleted_date
    FROM resource_key k JOIN resource_record r ON r.id = k.record_id
    WHERE k.resource = ${resource.name} AND k.field = ${bulkLoadKey(resource)}
      AND k.practice_id = ${practiceId ?? NO_PRACTICE} AND ${among(sql`k.value`, keys)}
    ORDER BY r.id DESC FOR NO KEY UPDATE OF r`);
  return new Map(rows.map(({ key, ...record }) => [key, record]));
}

/** A page of the records that are known by a key, by key and id; those that were removed are not among them. */
export async function listNamed(
  read: Db,
  { resource, practiceId }: Home,
  page: { after: { key: string; id: number }; limit: number },
): Promise<{ key: string; id: number }[]> {
  return read.rows(sql`
    SELECT k.value AS key, k.record_id AS id FROM resource_key k JOIN resource_record r ON r.id = k.record_id
    WHERE k.resource = ${resource.name} AND k.field = ${bulkLoadKey(resource)}
      AND k.practice_id = ${practiceId ?? NO_PRACTICE} AND r.deleted_date IS NULL
      AND (k.value, k.record_id) > (${page.after.key}, ${page.after.id})
    ORDER BY k.value, k.record_id LIMIT ${page.limit}`);
}

/** Who is referred to: what their ids are, of what was found. */
export type Found = (mention: Mention) => number | undefined;

const nameOf = ({ target, by }: Mention) => ("id" in by ? `${target}#${by.id}` : `${target}=${by.key}`);

/** Looks up what rows refer to: records of the practice and everybody's, those of everybody for what is everybody's. */
export async function findMentioned(
  read: Db,
  declarations: Declarations,
  { practiceId, mentions }: { practiceId: number | null; mentions: readonly Mention[] },
): Promise<Found> {
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
  return (mention) => found.get(nameOf(mention));
}

/** Everybody's before the practice's own, which is what is meant where both have the name; of several, the oldest. */
async function listByKeys(
  read: Db,
  { resource, practiceId }: Home,
  keys: readonly string[],
): Promise<{ key: string; id: number }[]> {
  return read.rows(sql`
    SELECT k.value AS key, k.record_id AS id FROM resource_key k JOIN resource_record r ON r.id = k.record_id
    WHERE k.resource = ${resource.name} AND k.field = ${bulkLoadKey(resource)}
      AND ${among(sql`k.practice_id`, [practiceId ?? NO_PRACTICE, NO_PRACTICE])} AND ${among(sql`k.value`, keys)}
      AND r.deleted_date IS NULL
    ORDER BY k.practice_id, k.record_id DESC`);
}
