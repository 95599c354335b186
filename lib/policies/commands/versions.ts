import { type Db, join, json, sql } from "@/lib/db/sql";
import type { Origin } from "@/lib/history/origin";
import type { PolicyRow } from "../schema";

/** What a version did to its policy. */
export type VersionKind =
  | "created"
  | "updated"
  | "archived"
  | "restored"
  | "card_image_added"
  | "card_image_removed"
  | "card_images_moved";

export interface NewVersion {
  policy: PolicyRow;
  kind: VersionKind;
  origin: Origin;
  occurredDate: string;
}

/** Appends versions, each holding the policy whole as it stands after the change (invariant 3). */
export async function appendVersions(db: Db, versions: readonly NewVersion[]): Promise<void> {
  if (versions.length === 0) return;
  const values = versions.map(
    ({ policy, kind, origin, occurredDate }) => sql`(${policy.id}, ${policy.version}, ${policy.patient_id}, ${kind},
      ${json(policy)}, ${json(origin.actor)}, ${origin.source}, ${origin.reason}, ${origin.requestId}, ${occurredDate})`,
  );
  await db.run(sql`
    INSERT INTO policy_version (policy_id, version, patient_id, kind, snapshot, actor, source, reason, request_id, occurred_date)
    VALUES ${join(values)}`);
}
