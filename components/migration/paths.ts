import { trail } from "./messages/run";
/** Returns the paths of the migration assistant's pages. */
export const migrationPath = (practice: number) => `/practices/${practice}/migration`;
export const runPath = (practice: number, run: number) => `${migrationPath(practice)}/${run}`;
export const recordsPath = (practice: number, run: number) => `${runPath(practice, run)}/records`;
export const recordPath = (practice: number, run: number, number: number) => `${recordsPath(practice, run)}/${number}`;

/** Returns the path of a run in the staff API. */
export const runCall = (practice: number, run: number) => `practices/${practice}/migrations/${run}`;

/** Returns the breadcrumbs above a page of the assistant, or of a run. */
export function runTrail(practice: number, run?: { id: number }): { label: string; href: string }[] {
  const migration = { label: trail.migration, href: migrationPath(practice) };
  return run ? [migration, { label: trail.run(run.id), href: runPath(practice, run.id) }] : [migration];
}
