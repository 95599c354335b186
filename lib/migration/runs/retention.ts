import type { RunState } from "@/lib/migration/runs/run-states";
import type { Row } from "@/lib/platform/db/rows";

/** Nothing is left to do in these, except to roll back: the time for which originals are kept begins. */
export const ENDED: readonly RunState[] = ["verified", "rolled_back", "cancelled"];

const DAY_MS = 86_400_000;

/**
 * When a run's originals are deleted: the records of the export, the values of findings, and what the run replaced or took out.
 *
 * @param days for which they are kept once the run has ended
 * @returns ISO 8601; null while the run is open, and once they are deleted
 */
export function originalsUntil(
  { state, changed_date: changed, purged_date: purged }: RetainedRun,
  days: number,
): string | null {
  const hasEnded = ENDED.includes(state);
  return hasEnded && purged === null ? new Date(Date.parse(changed) + days * DAY_MS).toISOString() : null;
}

type RetainedRun = Row<"migration_run", "state" | "changed_date" | "purged_date">;
