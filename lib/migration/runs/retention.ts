import type { RunState } from "@/lib/migration/runs/run-states";
import type { Row } from "@/lib/platform/db/rows";

/** States in which only a roll back is left to do. The retention time begins. */
export const ENDED: readonly RunState[] = ["verified", "rolled_back", "cancelled"];

const DAY_MS = 86_400_000;

/**
 * Returns when a run's originals are deleted: the records of the export, the values of findings, and what the run
 * replaced or removed.
 *
 * @param days that they are kept after the run has ended
 * @returns ISO 8601; null while the run is open, and after the deletion
 */
export function originalsUntil(
  { state, changed_date: changed, purged_date: purged }: RetainedRun,
  days: number,
): string | null {
  const hasEnded = ENDED.includes(state);
  return hasEnded && purged === null ? new Date(Date.parse(changed) + days * DAY_MS).toISOString() : null;
}

type RetainedRun = Row<"migration_run", "state" | "changed_date" | "purged_date">;
