import type { Access } from "@/lib/access/identity/access";
import { among } from "@/lib/platform/db/page";
import { db, sql } from "@/lib/platform/db/sql";

/** A room of a practice, by its name. */
export interface Room {
  name: string;
  practice: number;
}

/** What a practice has at most, so that one that writes something else there does not make an endless list. */
const MOST_ROOMS = 1_000;

/**
 * The rooms of practices, as the status of their appointments names them: each once, whatever its case. Values are skipped
 * through along their index, however many appointments there are.
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
      FROM room WHERE room.value IS NOT NULL AND room.number < ${MOST_ROOMS})
    SELECT room.practice_id AS practice, (
      SELECT r.data #>> '{status,room}' FROM resource_key k JOIN resource_record r ON r.id = k.record_id
      WHERE k.resource = 'appointments' AND k.field = 'room' AND k.practice_id = room.practice_id AND k.value = room.value
        AND ${among(sql`r.practice_id`, access.practices)} ORDER BY k.record_id LIMIT 1) AS name
    FROM room WHERE room.value IS NOT NULL ORDER BY room.practice_id, room.value`);
}
