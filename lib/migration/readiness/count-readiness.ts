import { isoNow } from "@/lib/platform/clock";
import { type Db, sql } from "@/lib/platform/db/sql";
import { READINESS_PART } from "./queries";

/**
 * Records how ready the practice of a run is today. Each record is in one of four parts, which add up: verified,
 * convertible, in need of staff, or refused (left out with a reason).
 */
export async function recordReadiness(
  tx: Db,
  { id, practice_id: practice }: { id: number; practice_id: number },
): Promise<void> {
  await tx.run(sql`
    INSERT INTO migration_day (practice_id, day, run_id, verified, convertible, person, refused)
    SELECT ${practice}, ${isoNow().slice(0, 10)}::date, ${id}, count(*) FILTER (WHERE part = 'verified'),
      count(*) FILTER (WHERE part = 'convertible'), count(*) FILTER (WHERE part = 'person'),
      count(*) FILTER (WHERE part = 'refused')
    FROM (SELECT ${READINESS_PART} AS part FROM migration_record r WHERE r.run_id = ${id}) parts
    ON CONFLICT (practice_id, day) DO UPDATE SET run_id = excluded.run_id, verified = excluded.verified,
      convertible = excluded.convertible, person = excluded.person, refused = excluded.refused`);
}
