import { among } from "@/lib/db/page";
import { db, sql } from "@/lib/db/sql";
import type { Access } from "@/lib/oauth/access";
import { clientNameOf } from "@/lib/oauth/queries";

/** How often a client used the legacy insurances of a practice through an endpoint on a day. */
export interface LegacyUseRow {
  practice_id: number;
  client_id: number;
  client_name: string;
  /** `domain.verb` */
  endpoint: string;
  /** `YYYY-MM-DD`, UTC */
  day: string;
  reads: number;
  writes: number;
}

/** Who still uses the legacy insurances of the caller's practices (design §6), newest day first. `since` is `YYYY-MM-DD`. */
export async function listLegacyUse(access: Access, since: string): Promise<LegacyUseRow[]> {
  return db.rows<LegacyUseRow>(sql`
    SELECT u.practice_id, u.client_id, ${clientNameOf(sql`u.client_id`)} AS client_name, u.endpoint, u.day, u.reads, u.writes
    FROM legacy_use u WHERE ${among(sql`u.practice_id`, access.practices)} AND u.day >= ${since}::date
    ORDER BY u.day DESC, u.practice_id, u.client_id, u.endpoint`);
}
