import type { Origin } from "@/lib/access/identity/access";
import { type Db, insertInto } from "@/lib/platform/db/sql";
import type { PolicyRow } from "./schema";

/** What happened to a policy with a version. */
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

/** Appends versions, each with the whole policy after the change (invariant 3). */
export async function appendVersions(db: Db, versions: readonly NewVersion[]): Promise<void> {
  if (versions.length === 0) return;
  const rows = versions.map(({ policy, kind, origin, occurredDate }) => ({
    policy_id: policy.id,
    version: policy.version,
    patient_id: policy.patient_id,
    kind,
    snapshot: policy,
    actor: origin.actor,
    source: origin.source,
    reason: origin.reason,
    request_id: origin.requestId,
    occurred_date: occurredDate,
  }));
  await db.run(insertInto("policy_version", rows));
}
