/** Where the pages of the migration assistant are. */
export const migrationPath = (practice: number) => `/practices/${practice}/migration`;
export const runPath = (practice: number, run: number) => `${migrationPath(practice)}/${run}`;
export const recordPath = (practice: number, run: number, number: number) =>
  `${runPath(practice, run)}/records/${number}`;

/** The calls of a run. */
export const runCall = (practice: number, run: number) => `practices/${practice}/migrations/${run}`;

/** Where a page of a run stands, outermost first. */
export function runTrail(practice: number, run?: { id: number }): { label: string; href: string }[] {
  const migration = { label: "Migration", href: migrationPath(practice) };
  return run ? [migration, { label: `Run ${run.id}`, href: runPath(practice, run.id) }] : [migration];
}
