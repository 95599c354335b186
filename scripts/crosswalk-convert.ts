// npx crosswalk convert FILE --practice ID …: a legacy export on its way into a practice: read, checked and converted; or, with
// --own, the practice's own legacy records, whose policies are brought to where they stand.
// Exit codes: 0 converted, 1 errors are left that somebody has to decide on, 2 wrong use, 3 it failed, 130 it was stopped.
import { BusinessRuleError, ValidationError } from "@/lib/errors";
import { startConversion } from "@/lib/migration/commands/convert-run";
import { fileSource } from "@/lib/migration/commands/source";
import { getRunTotals, listFindingGroups } from "@/lib/migration/review-queries";
import { isCalendarDate } from "@/lib/migration/rules/raw-record";
import { isAtWork } from "@/lib/migration/rules/run-states";
import type { RunRow } from "@/lib/migration/schema/run";
import { readColumnsFile } from "./lib/columns-file";
import { readArguments, readId, requireReadable, runProgram, UsageError } from "./lib/command-line";
import { acceptFixes, leaveOut } from "./lib/migration-decisions";
import {
  asUsage,
  requestFor,
  requirePractice,
  STOPPED,
  stopOnSignal,
  WORK_WORDS,
  workToEnd,
} from "./lib/migration-runs";
import { counted, describeFindings, describeTotals } from "./lib/migration-words";
import { openRun, type RunOptions } from "./lib/open-run";
import { endWithReader, number, Output } from "./lib/output";

const USAGE =
  "Usage: npx crosswalk convert FILE|--own --practice ID [--companies FILE] [--as-of DATE] [--columns FILE] [--accept-fixes] [--leave-out REASON] [--json]";

interface Options extends RunOptions {
  acceptsFixes: boolean;
  /** Why records with errors are left out; null where they are not. */
  leaveOut: string | null;
  asJson: boolean;
}

const OPTIONS = {
  own: { type: "boolean" },
  practice: { type: "string" },
  companies: { type: "string" },
  "as-of": { type: "string" },
  columns: { type: "string" },
  "accept-fixes": { type: "boolean" },
  "leave-out": { type: "string" },
  json: { type: "boolean" },
} as const;

async function readOptions(): Promise<Options> {
  const { values, words } = readArguments({ usage: USAGE, options: OPTIONS, words: 1 });
  const [file = null] = words;
  if (values.own) {
    const given = (
      [
        ["FILE", file],
        ["--companies", values.companies],
        ["--columns", values.columns],
      ] as const
    ).find(([, value]) => value != null);
    if (given)
      throw new UsageError(`--own takes the practice's own records: ${given[0]} has no place beside it. ${USAGE}`);
  } else if (!file) {
    throw new UsageError(`FILE is missing: the legacy export to convert, or --own. ${USAGE}`);
  }
  const { practice, companies = null, "as-of": asOf = null, columns = null, "leave-out": reason = null } = values;
  if (practice === undefined) throw new UsageError(`--practice is missing: the id of the practice. ${USAGE}`);
  const practiceId = readId(practice, "--practice");
  if (asOf !== null && !isCalendarDate(asOf)) throw new UsageError("--as-of must be a date, YYYY-MM-DD");
  if (reason?.trim() === "") throw new UsageError("--leave-out must say why: the reason stays with each record");
  if (file !== null) await requireReadable("FILE", file);
  if (companies !== null) await requireReadable("--companies", companies);
  return {
    ...{ file, practiceId, companies, asOf, leaveOut: reason },
    columns: columns === null ? null : await readColumnsFile(columns),
    acceptsFixes: values["accept-fixes"] ?? false,
    asJson: values.json ?? false,
  };
}

async function main(): Promise<number> {
  endWithReader();
  const options = await readOptions();
  const request = requestFor(options.practiceId);
  await requirePractice(request, options.practiceId);
  const signal = stopOnSignal();
  const source = options.file === null ? undefined : await fileSource(options.file);
  const out = new Output(options.asJson);
  const { run, taken } = await asUsage(() => openRun(request, options, source?.size ?? 0));
  await tellOpened(out, run, taken);

  let state = isAtWork(run.state) ? await workToEnd(run.id, { signal, ...(source && { source }) }) : run;
  if (state.state === "checked") {
    await tellChecked(out, run.id);
    if (options.acceptsFixes) await tellAccepted(out, await acceptFixes(request, run.id));
    if (options.leaveOut !== null) await tellLeftOut(out, await leaveOut(request, run.id, options.leaveOut));
    if (signal.aborted) return tellStopped(out, state);
    if (await tellBlockers(out, run.id, options)) return 1;
    await startConversion(request, run.id);
    state = await workToEnd(run.id, { signal });
  }
  if (isAtWork(state.state)) return tellStopped(out, state);
  return tellConverted(out, state);
}

async function tellOpened(
  out: Output,
  { id, practice_id: practice, source, source_name: name, as_of: asOf }: RunRow,
  taken: RunRow | null,
) {
  const told = { event: "run", run: id, practice, source: name, as_of: asOf, resumed_in: taken?.state ?? null };
  const state = taken && (taken.state === "failed" ? taken.stopped_in : taken.state);
  const what = source === "practice" ? "over its own records" : "of this file";
  const how =
    state === null
      ? `Run ${id}: ${name} for practice ${practice}, as of ${asOf}.`
      : state === "checked"
        ? `Run ${id} ${what} goes on: it is checked as of ${asOf}, and waits for decisions.`
        : `Run ${id} ${what} goes on: it ${taken?.state === "failed" ? "failed" : "was cut short"} while ${WORK_WORDS[state]}.`;
  await out.tell(told, [how]);
}

async function tellChecked(out: Output, run: number): Promise<void> {
  const totals = await getRunTotals(run);
  const findings = await listFindingGroups(run);
  const { patients, insurances, blocked } = totals;
  await out.tell({ event: "checked", run, patients, insurances, blocked }, [
    `Checked: ${counted(patients.records, "record")}`,
    ...describeTotals(totals),
  ]);
  for (const group of findings) await out.tell({ event: "findings", run, ...group }, describeFindings([group]));
}

async function tellAccepted(out: Output, accepted: number): Promise<void> {
  await out.tell({ event: "accepted", fixes: accepted }, [
    `Accepted ${counted(accepted, "proposed fix", "proposed fixes")}.`,
  ]);
}

async function tellLeftOut(out: Output, records: number): Promise<void> {
  await out.tell({ event: "left_out", records }, [`Left out ${counted(records, "record")}.`]);
}

/** Errors that nobody decided on: nothing is converted. */
async function tellBlockers(out: Output, run: number, { acceptsFixes }: Options): Promise<boolean> {
  const { blocked } = await getRunTotals(run);
  if (blocked.records === 0) return false;
  const { records, findings } = blocked;
  await out.tell({ event: "blocked", run, records, findings }, [
    `Nothing is converted: ${counted(findings, "error")} in ${counted(records, "record")} ${findings === 1 ? "waits" : "wait"} for a decision in run ${run}.`,
    `Decide on them in the browser, or give this command again ${acceptsFixes ? "" : "with --accept-fixes, "}with --leave-out REASON, or for a corrected file.`,
  ]);
  return true;
}

async function tellStopped(out: Output, { id, state, done, total }: RunRow): Promise<number> {
  await out.tell({ event: "stopped", run: id, state, done, total }, [
    `Stopped. Run ${id} keeps what is done; the same command goes on from there.`,
  ]);
  return STOPPED;
}

async function tellConverted(out: Output, { id }: RunRow): Promise<number> {
  const { states, left_out: leftOut, insurances } = await getRunTotals(id);
  const { converted = 0, verified = 0, different = 0, stale = 0 } = states;
  const done = converted + verified + different;
  await out.tell({ event: "converted", run: id, converted: done, left_out: leftOut, stale, insurances }, [
    `Converted: ${counted(done, "record")}; ${number(leftOut)} left out.`,
    ...(stale > 0
      ? [
          `${counted(stale, "record")} changed here since the check and ${stale === 1 ? "was" : "were"} not written: look at ${stale === 1 ? "it" : "them"} in the browser.`,
        ]
      : []),
    `Verify it: npx crosswalk verify ${id}`,
  ]);
  return stale > 0 ? 1 : 0;
}

/** A companies file with a bad line, or headings that tell nothing: the user puts it right. */
async function withUsage(): Promise<number> {
  try {
    return await main();
  } catch (error) {
    if (error instanceof BusinessRuleError) throw new UsageError(error.message);
    if (error instanceof ValidationError) throw new UsageError(Object.values(error.fields).flat().join(" "));
    throw error;
  }
}

await runProgram(withUsage, {
  failureCode: 3,
  hint: "What was done is kept. The same command goes on from there.",
});
