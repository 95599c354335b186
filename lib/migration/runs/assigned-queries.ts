import type { Access } from "@/lib/access/identity/access";
import { requireStaffId } from "@/lib/access/staff/member-queries";
import { clock } from "@/lib/platform/clock";
import { dateFormat } from "@/lib/platform/date-format";
import type { Row } from "@/lib/platform/db/rows";
import { db, sql } from "@/lib/platform/db/sql";
import { findTimezone } from "@/lib/practice/practices/queries";
import { DECIDABLE_RECORD } from "./staged-records";

/** The open findings of a run that are assigned to the signed-in user. */
export interface AssignedFindings extends Row<"migration_run", "source" | "source_name"> {
  run_id: number;
  owner_id: number;
  findings: number;
  /** How many were due before today in the practice's time zone. */
  overdue: number;
  /** The earliest due date, `YYYY-MM-DD`. Null if no finding has one. */
  due_date: string | null;
}

/** Lists the runs with open findings that are assigned to the signed-in user and accept decisions, the most urgent first. */
export async function listAssignedFindings(access: Access): Promise<AssignedFindings[]> {
  const days = await Promise.all(
    access.practices.map(async (practice) => ({ practice, today: await today(practice) })),
  );
  return db.rows<AssignedFindings>(sql`
    SELECT r.id AS run_id, f.owner_id, r.source, r.source_name, count(*) AS findings,
      count(*) FILTER (WHERE f.due_date < d.today) AS overdue, min(f.due_date) AS due_date
    FROM json_to_recordset(${JSON.stringify(days)}::json) AS d(practice int, today date)
      JOIN migration_run r ON r.practice_id = d.practice JOIN migration_finding f ON f.run_id = r.id
    WHERE f.owner_id = ${requireStaffId(access)} AND f.decision = 'open'
      AND r.state IN ('checked', 'converted', 'verified') AND r.purged_date IS NULL AND ${DECIDABLE_RECORD}
    GROUP BY r.id, f.owner_id ORDER BY min(f.due_date) NULLS LAST, r.id`);
}

/** Returns the day in the time zone of a practice. PostgreSQL doesn't know all time zones that a practice can have. */
async function today(practice: number): Promise<string> {
  const timeZone = (await findTimezone(db, practice)) ?? "UTC";
  return dateFormat("en-CA", { timeZone, dateStyle: "short" }).format(clock.now());
}
