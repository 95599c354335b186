import { sql } from "@/lib/db/sql";

/** Which of the four parts a record `r` belongs to. */
export const READINESS_PART = sql`CASE
  WHEN r.state = 'verified' THEN 'verified'
  WHEN r.blockers > 0 OR r.state IN ('different', 'stale') THEN 'person'
  WHEN r.verdict = 'refused' THEN 'refused'
  ELSE 'convertible' END`;
