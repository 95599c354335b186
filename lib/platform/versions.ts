import { VersionConflictError } from "./errors";

/** What If-Match asks for: `*`, or one of these versions; null where nothing is asked. */
export type IfMatch = "*" | readonly number[] | null;

/** Refuses a write on an older version (412). Call it inside the transaction, on the locked record. */
export function requireVersion(ifMatch: IfMatch, currentVersion: number): void {
  if (ifMatch === null || ifMatch === "*" || ifMatch.includes(currentVersion)) return;
  throw new VersionConflictError(currentVersion);
}
