import type { Access } from "@/lib/access/identity/access";
import type { Row } from "@/lib/platform/db/rows";
import { db, inList, sql } from "@/lib/platform/db/sql";

/** A room of a practice. */
export interface Room {
  name: string;
  practice: Row<"resource_key">["practice_id"];
}

/** The maximum number of rooms per practice. It limits the cost if a practice misuses the field for other text. */
const MAX_ROOMS = 1_000;

/**
 * Lists the rooms that appointment statuses name, by practice. Names that differ only in case count as one. The statement skips
 * through the index from one value to the next, so its cost does not depend on the number of appointments.
 */
export async function listRooms(access: Access, practices: readonly number[] | undefined): Promise<Room[]> {
  const wanted = practices ? access.practices.filter((id) => practices.includes(id)) : access.practices;
  return db.rows<Room>(sql`
    WITH RECURSIVE room AS (
      SELECT p.id AS practice_id, (SELECT min(k.value) FROM resource_key k WHERE k.resource = 'appointments'
        AND k.field = 'room' AND k.practice_id = p.id AND k.value > '') AS value, 1 AS number
      FROM unnest(${[...wanted]}::bigint[]) AS p(id)
      UNION ALL
      SELECT room.practice_id, (SELECT min(k.value) FROM resource_key k WHERE k.resource = 'appointments'
        AND k.field = 'room' AND k.practice_id = room.practice_id AND k.value > room.value), room.number + 1
      FROM room WHERE room.value IS NOT NULL AND room.number < ${MAX_ROOMS})
    SELECT room.practice_id AS practice, (
      SELECT r.data #>> '{status,room}' FROM resource_key k JOIN resource_record r ON r.id = k.record_id
      WHERE k.resource = 'appointments' AND k.field = 'room' AND k.practice_id = room.practice_id AND k.value = room.value
        AND ${inList(sql`r.practice_id`, access.practices)} ORDER BY k.record_id LIMIT 1) AS name
    FROM room WHERE room.value IS NOT NULL ORDER BY room.practice_id, room.value`);
}
