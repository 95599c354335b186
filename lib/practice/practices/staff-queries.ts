import type { Access } from "@/lib/access/identity/access";
import type { Row } from "@/lib/platform/db/rows";
import { db, inList, sql } from "@/lib/platform/db/sql";

/** The name of a practice, with what all staff pages need to know about it. */
export type PracticeName = Row<"practice", "id" | "name" | "timezone"> & { versioning: boolean };

/** Lists the practices a user belongs to, by name. */
export async function listPracticeNames(access: Access): Promise<PracticeName[]> {
  return db.rows<PracticeName>(sql`
    SELECT id, name, timezone, insurance_versioning_enabled AS versioning FROM practice
    WHERE ${inList(sql`id`, access.practices)} ORDER BY lower(name), id`);
}
