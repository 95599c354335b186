import { isDeepStrictEqual } from "node:util";
import type { ActorType } from "@/generated/rows/enums";

declare const minted: unique symbol;

/**
 * What an authenticated caller may reach. Only the authentication gate mints one, and every query takes one: there is no
 * way to ask for a record without saying on whose behalf (invariant 4).
 */
export interface Access {
  readonly [minted]: true;
  /** Practices whose records the caller may see and change. */
  readonly practices: readonly number[];
  readonly actor: Actor;
}

/** An API client's access: what its token says. */
export interface ClientAccess extends Access {
  readonly clientId: number;
  readonly organizationId: number;
  readonly scopes: readonly string[];
}

/** Who makes a change: an API client, a member of the staff, or a program of ours. */
export interface Actor {
  type: ActorType;
  id: number | null;
  name: string;
}

/** For the authentication gate and for our own programs (import, seed) alone. */
export function mintAccess<T extends Omit<Access, typeof minted>>(access: T): T & Access {
  return access as T & Access;
}

/** Returns the practice of the page or path that the access is narrowed to. */
export function currentPractice({ practices: [practice] }: Access): number {
  if (practice === undefined) throw new Error("the access reaches no practice");
  return practice;
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
