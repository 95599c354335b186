import type { Actor } from "./origin";

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

/** For the authentication gate and for our own programs (import, seed) alone. */
export function mintAccess<T extends Omit<Access, typeof minted>>(access: T): T & Access {
  return access as T & Access;
}

/** Returns the practice of the page or path that the access is narrowed to. */
export function currentPractice({ practices: [practice] }: Access): number {
  if (practice === undefined) throw new Error("the access reaches no practice");
  return practice;
}
