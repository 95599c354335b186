import type { Access } from "@/lib/access/identity/access";
import { inList } from "@/lib/platform/db/page";
import type { Row } from "@/lib/platform/db/rows";
import { db, sql } from "@/lib/platform/db/sql";

/** A practice as the staff side names it everywhere. */
export type PracticeName = Row<"practice", "id" | "name" | "timezone"> & { versioning: boolean };

/** The practices a user belongs to, by name. */
export async function listPracticeNames(access: Access): Promise<PracticeName[]> {
  return db.rows<PracticeName>(sql`
    SELECT id, name, timezone, insurance_versioning_enabled AS versioning FROM practice
    WHERE ${inList(sql`id`, access.practices)} ORDER BY lower(name), id`);
}
