// npx crosswalk convert FILE --practice ID …: reads, checks and converts a legacy export into a practice. With --own, it converts
// the practice's own legacy records, whose policies are updated to match.
// Exit codes: 0 converted, 1 unresolved errors, 2 wrong usage, 3 failed, 130 stopped.

import { findLastFinding } from "@/lib/migration/check/review-queries";
import { startConversion } from "@/lib/migration/convert/convert-run";
import { isCalendarDate } from "@/lib/migration/record/raw-record";
import type { RunRequest } from "@/lib/migration/runs/migration-run";
import { getRunTotals, listFindingGroups } from "@/lib/migration/runs/run-counts";
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
import { describeFindings, describeTotals } from "./lib/migration-words";
import { openRun, type RunOptions } from "./lib/open-run";
import { counted, number, Output } from "./lib/output";

const USAGE =
  "Usage: npx crosswalk convert FILE|--own --practice ID [--companies FILE] [--as-of DATE] [--columns FILE] [--accept-fixes] [--archive-absent] [--leave-out REASON | --leave-out-past REASON] [--json]";

interface Options extends RunOptions {
  acceptsFixes: boolean;
  /** Whether to archive insurances that are active in the practice and not in the export. */
  archivesAbsent: boolean;
  /** The reason for skipping records with errors, or null to keep them. */
  leaveOut: string | null;
  /** The reason for skipping only past insurances with errors, or null to keep them. */
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
      throw new UsageError(`${given[0]} can't be combined with --own, which uses the practice's own records. ${USAGE}`);
  } else if (!file) {
    throw new UsageError(`FILE is required: the legacy export to convert, or --own. ${USAGE}`);
  }
  const { practice, companies = null, "as-of": asOf = null, columns = null, "leave-out": reason = null } = values;
  const { "leave-out-past": reasonOfPast = null } = values;
  if (practice === undefined) throw new UsageError(`--practice is required: the ID of the practice. ${USAGE}`);
  const practiceId = readId(practice, "--practice");
  if (asOf !== null && !isCalendarDate(asOf)) throw new UsageError("--as-of must be a date, YYYY-MM-DD");
  for (const [name, why] of [
    ["--leave-out", reason],
    ["--leave-out-past", reasonOfPast],
  ]) {
    if (why?.trim() === "") throw new UsageError(`${name} requires a reason, which is stored with each record`);
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
  await printOpened(out, run, taken);

  let state = isAtWork(run.state) ? await workToEnd(run.id, { signal, ...(source && { source }) }) : run;
  if (state.state === "checked") {
    await printChecked(out, run.id);
    await decide(out, request, run.id, options);
    if (signal.aborted) return printStopped(out, state);
    if (await printBlockers(out, run.id, options)) return 1;
    await startConversion(request, run.id);
    state = await workToEnd(run.id, { signal });
  }
  if (isAtWork(state.state)) return printStopped(out, state);
  return printConverted(out, state);
}

async function printOpened(
  out: Output,
  { id, practice_id: practice, source, source_name: name, as_of: asOf }: RunRow,
  taken: RunRow | null,
) {
  const event = { event: "run", run: id, practice, source: name, as_of: asOf, resumed_in: taken?.state ?? null };
  const state = taken && (taken.state === "failed" ? taken.stopped_in : taken.state);
  const what = source === "practice" ? "for its own records" : "of this file";
  const how =
    state === null
      ? `Run ${id}: ${name} for practice ${practice}, as of ${asOf}.`
      : state === "checked"
        ? `Run ${id} ${what} continues: it is checked as of ${asOf} and waits for decisions.`
        : `Run ${id} ${what} continues: it ${taken?.state === "failed" ? "failed" : "was interrupted"} while ${WORK_WORDS[state]}.`;
  await out.print(event, [how]);
}

async function printChecked(out: Output, run: number): Promise<void> {
  const totals = await getRunTotals(run);
  const findings = await listFindingGroups(run);
  const { patients, insurances, blocked } = totals;
  await out.print({ event: "checked", run, patients, insurances, blocked }, [
    `Checked: ${counted(patients.records, "record")}`,
    ...describeTotals(totals),
  ]);
  for (const group of findings) await out.print({ event: "findings", run, ...group }, describeFindings([group]));
}

/** Makes the decisions that the options ask for. New errors that result are not skipped in the same call, because the user hasn't seen them. */
async function decide(out: Output, request: RunRequest, run: number, options: Options): Promise<void> {
  const before = await findLastFinding(run);
  let newErrors = 0;
  if (options.acceptsFixes) {
    const { decided: fixes, newErrors: found } = await acceptFixes(request, run);
    newErrors += found;
    await out.print({ event: "accepted", fixes, new_errors: found }, [
      `Accepted ${counted(fixes, "proposed fix", "proposed fixes")}.`,
    ]);
  }
  if (options.archivesAbsent) {
    const { decided: insurances, newErrors: found } = await archiveAbsent(request, run);
    newErrors += found;
    await out.print({ event: "archive_absent", insurances, new_errors: found }, [
      `Archived ${counted(insurances, "insurance")} that the export does not contain.`,
    ]);
  }
  await reportNewErrors(out, run, newErrors);
  for (const [reason, onlyPast] of [
    [options.leaveOutPast, true],
    [options.leaveOut, false],
  ] as const) {
    if (reason === null) continue;
    const { records, past, newErrors: found } = await leaveOut(request, run, { reason, onlyPast, until: before });
    const insurances = past > 0 ? `${counted(past, "past insurance")} of converted patients` : null;
    const what = [...(onlyPast ? [] : [counted(records, "record")]), ...(insurances ? [insurances] : [])].join(
      ", and ",
    );
    await out.print({ event: "left_out", records, past }, [`Skipped ${what || "nothing"}.`]);
    await reportNewErrors(out, run, found);
  }
}

async function reportNewErrors(out: Output, run: number, errors: number): Promise<void> {
  if (errors === 0) return;
  await out.print({ event: "new_errors", run, errors }, [
    `These decisions caused ${counted(errors, "new error")}. Resolve ${errors === 1 ? "it" : "them"} in the browser, or run this command again.`,
  ]);
}

/** Prints unresolved errors, which prevent the conversion. Returns whether there are any. */
async function printBlockers(out: Output, run: number, { acceptsFixes }: Options): Promise<boolean> {
  const { blocked } = await getRunTotals(run);
  if (blocked.records === 0) return false;
  const { records, findings } = blocked;
  await out.print({ event: "blocked", run, records, findings }, [
    `Nothing was converted: run ${run} has ${counted(findings, "unresolved error")} in ${counted(records, "record")}.`,
    `Resolve them in the browser, or run this command again ${acceptsFixes ? "" : "with --accept-fixes, "}with --leave-out REASON (or --leave-out-past REASON for past insurances only), or with a corrected file.`,
  ]);
  return true;
}

async function printStopped(out: Output, { id, state, done, total }: RunRow): Promise<number> {
  await out.print({ event: "stopped", run: id, state, done, total }, [
    `Stopped. Run the same command to continue run ${id}.`,
  ]);
  return STOPPED;
}

async function printConverted(out: Output, { id }: RunRow): Promise<number> {
  const { states, left_out: leftOut, insurances } = await getRunTotals(id);
  const { converted = 0, verified = 0, different = 0, stale = 0 } = states;
  const done = converted + verified + different;
  await out.print({ event: "converted", run: id, converted: done, left_out: leftOut, stale, insurances }, [
    `Converted: ${counted(done, "record")}; ${number(leftOut)} skipped.`,
    ...(stale > 0
      ? [
          `${counted(stale, "record")} changed here since the check and ${stale === 1 ? "was" : "were"} not converted. Review ${stale === 1 ? "it" : "them"} in the browser.`,
        ]
      : []),
    `Next: npx crosswalk verify ${id}`,
  ]);
  return stale > 0 ? 1 : 0;
}

/** Reports an invalid companies file or unknown headings as wrong usage. */
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
  hint: "Completed work is kept. Run the same command to continue.",
});
