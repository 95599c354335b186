import { selectOwnEntries } from "@/lib/access/audit/staff-queries";
import type { Access } from "@/lib/access/identity/access";
import type { Row } from "@/lib/platform/db/rows";
import { db, inList, sql } from "@/lib/platform/db/sql";

/** A patient whose page the signed-in user opened. */
export interface RecentPatient extends Row<"patient", "id" | "first_name" | "last_name" | "dob"> {
  /** The last time, ISO 8601. */
  viewed_date: string;
}

const MAX_RECENT = 8;
/** How many of the user's latest audit entries are searched. It bounds the cost of a user who reads other records all day. */
const MAX_ENTRIES = 500;
/** Reads that open a patient or one of their policies, unlike lists, which show many patients. */
const OPENED = ["staff.patients.get", "staff.policies.get"];

/** Lists the patients that the signed-in user opened last, newest first, from the audit. Deleted patients are left out. */
export async function listRecentPatients(access: Access): Promise<RecentPatient[]> {
  return db.rows<RecentPatient>(sql`
    SELECT p.id, p.first_name, p.last_name, p.dob, max(e.occurred_date) AS viewed_date
    FROM (${selectOwnEntries(access, MAX_ENTRIES)}) e
    JOIN patient p ON p.id = e.patients[1]
    WHERE e.operation = ANY(${OPENED}) AND p.deleted_date IS NULL AND ${inList(sql`p.practice_id`, access.practices)}
    GROUP BY p.id ORDER BY viewed_date DESC, p.id LIMIT ${MAX_RECENT}`);
}
