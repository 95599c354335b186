import { type Db, sql } from "@/lib/platform/db/sql";

/** The number of policies and card images of a practice. */
export interface PolicyCount {
  active: number;
  archived: number;
  /** Active policies with more than one version. */
  changed: number;
  /** Card images that are linked to active policies. */
  images: number;
}

/** Counts the policies and card images of a practice. */
export async function countPolicies(read: Db, practiceId: number): Promise<PolicyCount> {
  const row = await read.first<PolicyCount>(sql`
    SELECT count(*) FILTER (WHERE status = 'active') AS active,
      count(*) FILTER (WHERE status = 'archived') AS archived,
      count(*) FILTER (WHERE status = 'active' AND version > 1) AS changed,
      (SELECT count(*) FROM policy_card_image i JOIN policy p ON p.id = i.policy_id
       WHERE p.practice_id = ${practiceId} AND p.status = 'active' AND i.to_version IS NULL) AS images
    FROM policy WHERE practice_id = ${practiceId}`);
  return row ?? { active: 0, archived: 0, changed: 0, images: 0 };
}
