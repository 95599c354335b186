import { isDeepStrictEqual } from "node:util";

/** Who makes a change: an API client, a member of the staff, or a program of ours. */
export interface Actor {
  type: "client" | "staff" | "system";
  id: number | null;
  name: string;
}

/** Through which door a change came (design §5, versions). */
export type ChangeSource = "policies_api" | "legacy_api" | "staff" | "migration" | "api" | "seed";

/** Who, from where and why, of one write: what every version row keeps (invariant 3). */
export interface Origin {
  actor: Actor;
  source: ChangeSource;
  reason: string | null;
  requestId: string | null;
}

/** One changed field of a version: what it was and what it became. */
export interface FieldChange {
  old: unknown;
  new: unknown;
}
export type FieldChanges = Record<string, FieldChange>;

/** The fields that differ between two records; the order of keys does not count, for jsonb has its own. */
export function changedFields(before: object | null, after: object): FieldChanges {
  const changes: FieldChanges = {};
  const old = (before ?? {}) as Record<string, unknown>;
  for (const [field, value] of Object.entries(after)) {
    const previous = old[field] ?? null;
    if (!isDeepStrictEqual(previous, value ?? null)) {
      changes[field] = { old: previous, new: value ?? null };
    }
  }
  return changes;
}
