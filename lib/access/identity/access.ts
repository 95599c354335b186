import { isDeepStrictEqual } from "node:util";
import type { ActorType } from "@/generated/rows/enums";
import { property } from "@/lib/platform/objects";

declare const minted: unique symbol;

/**
 * What an authenticated caller may access. Only authentication mints one, and every query takes one, so no record can be read
 * without a caller (invariant 4).
 */
export interface Access {
  readonly [minted]: true;
  /** Practices whose records the caller may see and change. */
  readonly practices: readonly number[];
  readonly actor: Actor;
}

/** The access of an API client's token. */
export interface ClientAccess extends Access {
  readonly clientId: number;
  readonly organizationId: number;
  readonly scopes: readonly string[];
}

/** Who makes a request or change: an API client, a staff user or one of our programs. */
export interface Actor {
  type: ActorType;
  id: number | null;
  name: string;
}

/** Creates an access. Only for authentication and for our own programs, such as the seed. */
export function mintAccess<T extends Omit<Access, typeof minted>>(access: T): T & Access {
  return access as T & Access;
}

/** Returns the practice of the page or path that the access is narrowed to. */
export function currentPractice({ practices: [practice] }: Access): number {
  if (practice === undefined) throw new Error("the access reaches no practice");
  return practice;
}

/** The interface that a change came through. */
export type ChangeSource = "policies_api" | "legacy_api" | "staff" | "migration" | "api" | "seed";

/** Who makes a request, from where and why. Versions (invariant 3) and audit entries store it. */
export interface Origin {
  actor: Actor;
  source: ChangeSource;
  reason: string | null;
  requestId: string | null;
  /** The endpoint or program, `domain.verb`. */
  operation: string;
  /** Path of the request, without its query. */
  path: string | null;
  /** Network address of the request. */
  address: string | null;
  /** W3C Trace Context of the request, if it is traced. Later work because of the request continues its trace. */
  traceparent?: string;
}

/** Returns the origin of changes by one of our programs. */
export function systemOrigin(
  program: Pick<Origin, "source" | "operation"> & { name: string; reason?: string },
): Origin {
  const { source, operation, name, reason = null } = program;
  const actor = { type: "system" as const, id: null, name };
  return { actor, source, reason, requestId: null, operation, path: null, address: null };
}

/** A changed field of a version. */
export interface FieldChange {
  old: unknown;
  new: unknown;
}

export type FieldChanges = Record<string, FieldChange>;

/** Returns the fields that differ between two records. Ignores the order of keys, because jsonb doesn't keep it. */
export function changedFields(before: object | null, after: object): FieldChanges {
  const changes: FieldChanges = {};
  for (const [field, value] of Object.entries(after)) {
    const previous = property(before, field) ?? null;
    if (!isDeepStrictEqual(previous, value ?? null)) {
      changes[field] = { old: previous, new: value ?? null };
    }
  }
  return changes;
}
