import { VersionConflictError } from "./errors";

/** A parsed If-Match: `*`, one of these versions, or null if there is none. */
export type IfMatch = "*" | readonly number[] | null;

/** Rejects a write on an older version (412). Call it in the transaction, with the version of the locked record. */
export function requireVersion(ifMatch: IfMatch, currentVersion: number): void {
  if (ifMatch === null || ifMatch === "*" || ifMatch.includes(currentVersion)) return;
  throw new VersionConflictError(currentVersion);
}
