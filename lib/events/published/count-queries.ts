import type { ScopeResource } from "@/lib/access/identity/scopes";
import { type Db, sql } from "@/lib/platform/db/sql";

/** Returns the id of the newest published event. */
export async function lastEventId(read: Db): Promise<number> {
  const { id } = await read.one<{ id: number }>(sql`SELECT coalesce(max(id), 0) AS id FROM published_event`);
  return id;
}

/** Counts the events of a record that were published since. */
export async function countEventsSince(
  read: Db,
  { resource, id, since }: { resource: ScopeResource; id: number; since: number },
): Promise<number> {
  const { count } = await read.one<{ count: number }>(sql`
    SELECT count(*) AS count FROM published_event
    WHERE id > ${since} AND resource = ${resource} AND resource_id = ${id}`);
  return count;
}
