// npx crosswalk rollback RUN --reason TEXT: undoes what a run changed.
// Exit codes: 0 rolled back, 1 some records or companies were kept because they were changed or used since, 2 wrong usage, 3 failed,
// 130 stopped.

import { startRollBack } from "@/lib/migration/rollback/roll-back-run";
import { getRunTotals } from "@/lib/migration/runs/run-counts";
import { isAtWork, originalsUntil } from "@/lib/migration/runs/run-states";
import { config } from "@/lib/platform/config";
import { readArguments, runProgram, UsageError } from "./lib/command-line";
import { requestFor, requireRun, STOPPED, startOrContinue, stopOnSignal, workToEnd } from "./lib/migration-runs";
import { describeCompanies, describeKept } from "./lib/migration-words";
import { counted, Output } from "./lib/output";

const USAGE = "Usage: npx crosswalk rollback RUN --reason TEXT [--json]";

async function main(): Promise<number> {
  const options = { reason: { type: "string" }, json: { type: "boolean" } } as const;
  const { values, words } = readArguments({ usage: USAGE, options, words: 1 });
  if (words.length === 0) throw new UsageError(`RUN is required: the ID of the run. ${USAGE}`);
  const reason = values.reason?.trim();
  if (!reason) throw new UsageError(`--reason is required: why the run is rolled back. ${USAGE}`);
  const run = await requireRun(words[0], "RUN");
  const request = requestFor(run.practice_id, reason);
  const out = new Output(values.json ?? false);
  const signal = stopOnSignal();
  await startOrContinue(run, {
    request,
    work: "rolling_back",
    action: "roll_back",
    begin: () => startRollBack(request, run.id),
  });
  const after = await workToEnd(run.id, { signal });
  const { state } = after;
  if (isAtWork(state)) {
    await out.print({ event: "stopped", run: run.id, state }, ["Stopped. Run the same command to continue."]);
    return STOPPED;
  }
  const { rolled_back: back = 0, kept = 0 } = (await getRunTotals(run.id)).states;
  const days = config().MIGRATION_RETENTION_DAYS;
  const companies = after.roll_back?.companies ?? { removed: [], restored: [], kept: [] };
  const until = originalsUntil(after, days);
  const fields = {
    run: run.id,
    rolled_back: back,
    kept,
    companies,
    originals_until: until,
    events_kept_days: config().EVENT_RETENTION_DAYS,
  };
  await out.print({ event: "rolled_back", ...fields }, [
    `Rolled back: ${counted(back, "record")}.`,
    ...(kept > 0
      ? [`${counted(kept, "record")} kept because ${kept === 1 ? "it was" : "they were"} changed since.`]
      : []),
    ...describeCompanies(companies),
    ...describeKept(after, days),
  ]);
  return kept > 0 || companies.kept.length > 0 ? 1 : 0;
}

await runProgram(main, { failureCode: 3, hint: "Completed work is kept. Run the same command to continue." });
