import type { Access } from "@/lib/access/identity/access";
import { requireStaffId } from "@/lib/access/staff/member-queries";
import { isoNow } from "@/lib/platform/clock";
import type { Row } from "@/lib/platform/db/rows";
import { db, inList, sql } from "@/lib/platform/db/sql";

/** The open findings of a run that are assigned to the signed-in user. */
export interface AssignedFindings extends Row<"migration_run", "source" | "source_name"> {
  run_id: number;
  owner_id: number;
  findings: number;
  overdue: number;
  /** The earliest due date, `YYYY-MM-DD`. Null if no finding has one. */
  due_date: string | null;
}

/** Lists the runs with open findings that are assigned to the signed-in user, the most urgent first. */
export async function listAssignedFindings(access: Access): Promise<AssignedFindings[]> {
  const today = isoNow().slice(0, 10);
  return db.rows<AssignedFindings>(sql`
    SELECT r.id AS run_id, f.owner_id, r.source, r.source_name, count(*) AS findings,
      count(*) FILTER (WHERE f.due_date < ${today}::date) AS overdue, min(f.due_date) AS due_date
    FROM migration_finding f JOIN migration_run r ON r.id = f.run_id
    WHERE f.owner_id = ${requireStaffId(access)} AND f.decision = 'open' AND ${inList(sql`r.practice_id`, access.practices)}
      AND r.state IN ('checked', 'converted', 'verified') AND r.purged_date IS NULL
    GROUP BY r.id, f.owner_id ORDER BY min(f.due_date) NULLS LAST, r.id`);
}
