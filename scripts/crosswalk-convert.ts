// npx crosswalk convert FILE --practice ID …: a legacy export on its way into a practice: read, checked and converted; or, with
// --own, the practice's own legacy records, whose policies are brought to where they stand.
// Exit codes: 0 converted, 1 errors are left that somebody has to decide on, 2 wrong use, 3 it failed, 130 it was stopped.

import { findLastFinding, getRunTotals, listFindingGroups } from "@/lib/migration/check/review-queries";
import { startConversion } from "@/lib/migration/convert/convert-run";
import { isCalendarDate } from "@/lib/migration/record/record";
import type { RunRequest } from "@/lib/migration/runs/migration-run";
import { isAtWork } from "@/lib/migration/runs/run-states";
import type { RunRow } from "@/lib/migration/runs/schema";
import { BusinessRuleError, ValidationError } from "@/lib/platform/errors";
import { fileSource } from "@/lib/platform/files/source";
import { readColumnsFile } from "./lib/columns-file";
import { readArguments, readId, requireReadable, runProgram, UsageError } from "./lib/command-line";
import { acceptFixes, archiveAbsent, leaveOut } from "./lib/migration-decisions";
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
import { number, Output } from "./lib/output";

const USAGE =
  "Usage: npx crosswalk convert FILE|--own --practice ID [--companies FILE] [--as-of DATE] [--columns FILE] [--accept-fixes] [--archive-absent] [--leave-out REASON | --leave-out-past REASON] [--json]";

interface Options extends RunOptions {
  acceptsFixes: boolean;
  /** Insurances that are active in the practice and missing in the export are archived. */
  archivesAbsent: boolean;
  /** Why records with errors are left out; null where they are not. */
  leaveOut: string | null;
  /** Why past insurances with errors are left out, while their patients are converted; null where they are not. */
  leaveOutPast: string | null;
  asJson: boolean;
}

const OPTIONS = {
  own: { type: "boolean" },
  practice: { type: "string" },
  companies: { type: "string" },
  "as-of": { type: "string" },
  columns: { type: "string" },
  "accept-fixes": { type: "boolean" },
  "archive-absent": { type: "boolean" },
  "leave-out": { type: "string" },
  "leave-out-past": { type: "string" },
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
  const { "leave-out-past": reasonOfPast = null } = values;
  if (practice === undefined) throw new UsageError(`--practice is missing: the id of the practice. ${USAGE}`);
  const practiceId = readId(practice, "--practice");
  if (asOf !== null && !isCalendarDate(asOf)) throw new UsageError("--as-of must be a date, YYYY-MM-DD");
  for (const [name, why] of [
    ["--leave-out", reason],
    ["--leave-out-past", reasonOfPast],
  ]) {
    if (why?.trim() === "") throw new UsageError(`${name} must say why: the reason stays with each record`);
  }
  if (file !== null) await requireReadable("FILE", file);
  if (companies !== null) await requireReadable("--companies", companies);
  return {
    file,
    practiceId,
    companies,
    asOf,
    leaveOut: reason,
    leaveOutPast: reasonOfPast,
    columns: columns === null ? null : await readColumnsFile(columns),
    acceptsFixes: values["accept-fixes"] ?? false,
    archivesAbsent: values["archive-absent"] ?? false,
    asJson: values.json ?? false,
  };
}

async function main(): Promise<number> {
  const options = await readOptions();
  const request = requestFor(options.practiceId);
  await requirePractice(request, options.practiceId);
  const signal = stopOnSignal();
  const source = options.file === null ? undefined : await fileSource(options.file);
  const out = new Output(options.asJson);
  const { run, taken } = await asUsage(() => openRun(request, options, source));
  await tellOpened(out, run, taken);

  let state = isAtWork(run.state) ? await workToEnd(run.id, { signal, ...(source && { source }) }) : run;
  if (state.state === "checked") {
    await tellChecked(out, run.id);
    await decide(out, request, run.id, options);
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

/** What the options decide. New errors that a decision brings up are not left out unseen: the next call may. */
async function decide(out: Output, request: RunRequest, run: number, options: Options): Promise<void> {
  const before = await findLastFinding(run);
  let newErrors = 0;
  if (options.acceptsFixes) {
    const { decided: fixes, newErrors: found } = await acceptFixes(request, run);
    newErrors += found;
    await out.tell({ event: "accepted", fixes, new_errors: found }, [
      `Accepted ${counted(fixes, "proposed fix", "proposed fixes")}.`,
    ]);
  }
  if (options.archivesAbsent) {
    const { decided: insurances, newErrors: found } = await archiveAbsent(request, run);
    newErrors += found;
    await out.tell({ event: "archive_absent", insurances, new_errors: found }, [
      `Confirmed as ended: ${counted(insurances, "insurance")} that the export lacks.`,
    ]);
  }
  await reportNewErrors(out, run, newErrors);
  for (const [reason, onlyPast] of [
    [options.leaveOutPast, true],
    [options.leaveOut, false],
  ] as const) {
    if (reason === null) continue;
    const { records, past, newErrors: found } = await leaveOut(request, run, { reason, onlyPast, until: before });
    const insurances = past > 0 ? `${counted(past, "past insurance")} of patients who are converted` : null;
    const what = [...(onlyPast ? [] : [counted(records, "record")]), ...(insurances ? [insurances] : [])].join(
      ", and ",
    );
    await out.tell({ event: "left_out", records, past }, [`Left out ${what || "nothing"}.`]);
    await reportNewErrors(out, run, found);
  }
}

async function reportNewErrors(out: Output, run: number, errors: number): Promise<void> {
  if (errors === 0) return;
  await out.tell({ event: "new_errors", run, errors }, [
    `That brought up ${counted(errors, "new error")}: decide on ${errors === 1 ? "it" : "them"}, or give this command again.`,
  ]);
}

/** Errors that nobody decided on: nothing is converted. */
async function tellBlockers(out: Output, run: number, { acceptsFixes }: Options): Promise<boolean> {
  const { blocked } = await getRunTotals(run);
  if (blocked.records === 0) return false;
  const { records, findings } = blocked;
  await out.tell({ event: "blocked", run, records, findings }, [
    `Nothing is converted: ${counted(findings, "error")} in ${counted(records, "record")} ${findings === 1 ? "waits" : "wait"} for a decision in run ${run}.`,
    `Decide on them in the browser, or give this command again ${acceptsFixes ? "" : "with --accept-fixes, "}with --leave-out REASON (or --leave-out-past REASON for past insurances alone), or for a corrected file.`,
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
