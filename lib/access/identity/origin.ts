import { isDeepStrictEqual } from "node:util";
import type { ActorType } from "@/generated/rows/enums";

/** Who makes a change: an API client, a member of the staff, or a program of ours. */
export interface Actor {
  type: ActorType;
  id: number | null;
  name: string;
}

/** Through which door a change came (design §5, versions). */
export type ChangeSource = "policies_api" | "legacy_api" | "staff" | "migration" | "api" | "seed";

/** Who, from where and why: what every version row keeps of a write (invariant 3), and the audit of a read besides. */
export interface Origin {
  actor: Actor;
  source: ChangeSource;
  reason: string | null;
  requestId: string | null;
  /** `domain.verb`: the endpoint or program. */
  operation: string;
  /** Path of the request, without its query. */
  path: string | null;
  /** Network address the request came from. */
  address: string | null;
}

/** The origin of what one of our own programs does. */
export function systemOrigin(
  program: Pick<Origin, "source" | "operation"> & { name: string; reason?: string },
): Origin {
  const { source, operation, name, reason = null } = program;
  const actor = { type: "system" as const, id: null, name };
  return { actor, source, reason, requestId: null, operation, path: null, address: null };
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
