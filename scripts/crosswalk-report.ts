// npx crosswalk report [--practice ID | --run ID] [--csv | --json]: reports how much of a practice is ready and what
// is left to do. Without a practice or run, it reports every practice with a run.
// Exit codes: 0 nothing needs staff, 1 something needs staff, 2 wrong usage, 3 failed.

import { findCurrentRun, listUnready, toPercent, type UnreadyRecord } from "@/lib/migration/readiness/queries";
import { findRun, listPracticesWithRuns } from "@/lib/migration/runs/queries";
import { getRunTotals, listFindingGroups, type RunTotals } from "@/lib/migration/runs/run-counts";
import { originalsUntil } from "@/lib/migration/runs/run-states";
import type { FindingGroup, RunRow } from "@/lib/migration/runs/schema";
import { config } from "@/lib/platform/config";
import { toCsv } from "@/lib/platform/csv";
import { db } from "@/lib/platform/db/sql";
import { readArguments, readId, runProgram, UsageError } from "./lib/command-line";
import { requestFor, requirePractice, requireRun } from "./lib/migration-runs";
import { describeFindings, describeKept, describeTotals } from "./lib/migration-words";
import { counted, number, Output, print } from "./lib/output";

const USAGE = "Usage: npx crosswalk report [--practice ID | --run ID] [--csv | --json]";
/** The number of records that the text lists. */
const MAX_SHOWN = 20;
/** The maximum number of records in CSV and JSON. Only a run that is not converted yet has more. */
const MAX_LISTED = 100_000;

const OPTIONS = {
  practice: { type: "string" },
  run: { type: "string" },
  csv: { type: "boolean" },
  json: { type: "boolean" },
} as const;

type Format = "text" | "csv" | "json";

interface RunReport {
  run: RunRow;
  totals: RunTotals;
  findings: FindingGroup[];
  unready: UnreadyRecord[];
}

async function main(): Promise<number> {
  const { values } = readArguments({ usage: USAGE, options: OPTIONS });
  const { practice, run, csv, json } = values;
  if (practice !== undefined && run !== undefined) throw new UsageError("--practice and --run can't be combined");
  if (csv && json) throw new UsageError("--csv and --json can't be combined");
  const format: Format = csv ? "csv" : json ? "json" : "text";
  const reports: RunReport[] = [];
  for (const found of await findRuns(practice, run)) reports.push(await createReport(found, format));
  if (format === "csv") await print(await toCsv(reports.flatMap(toRows), COLUMNS));
  else for (const report of reports) await printReport(new Output(format === "json"), report);
  if (reports.length === 0) await new Output(format === "json").print({ event: "none" }, ["No practice has a run."]);
  return reports.some(({ totals }) => totals.readiness.person > 0) ? 1 : 0;
}

/** Finds the requested run, the current run of the practice, or the current runs of all practices. */
async function findRuns(practice: string | undefined, run: string | undefined): Promise<RunRow[]> {
  if (run !== undefined) return [await requireRun(run, "--run")];
  if (practice === undefined) {
    const runs = [];
    for (const id of await listPracticesWithRuns()) runs.push(...(await findCurrent(id)));
    return runs;
  }
  const practiceId = readId(practice, "--practice");
  await requirePractice(requestFor(practiceId), practiceId);
  const runs = await findCurrent(practiceId);
  if (runs.length === 0) throw new UsageError(`--practice ${practiceId}: this practice has no checked run.`);
  return runs;
}

async function findCurrent(practiceId: number): Promise<RunRow[]> {
  const current = await findCurrentRun(practiceId);
  const run = current && (await findRun(db, current.id));
  return run ? [run] : [];
}

async function createReport(run: RunRow, format: Format): Promise<RunReport> {
  const { access } = requestFor(run.practice_id);
  // The text omits records that only wait for the conversion, because there may be many.
  const parts = format === "text" ? ["person", "refused"] : ["person", "refused", "convertible"];
  return {
    run,
    totals: await getRunTotals(run.id),
    findings: await listFindingGroups(run.id),
    unready: await listUnready(access, run.id, { limit: MAX_LISTED, parts }),
  };
}

async function printReport(out: Output, { run, totals, findings, unready }: RunReport): Promise<void> {
  const { id, practice_id: practice, source_name: source, as_of: asOf, state, verification } = run;
  const { readiness, patients, insurances, blocked } = totals;
  const records = Object.values(readiness).reduce((sum, one) => sum + one, 0);
  const percent = toPercent(readiness);
  const about = { run: id, practice };
  const { verified, convertible, person, refused } = readiness;
  await out.print({ event: "report", ...about, source, as_of: asOf, state, records, percent, ...readiness }, [
    `Practice ${practice}, run ${id}: ${source}, as of ${asOf}, ${state.replace("_", " ")}`,
    `${percent}% of ${counted(records, "record")} ready: ${number(verified)} converted and verified + ${number(convertible)} convertible + ${number(person)} need staff + ${number(refused)} skipped`,
  ]);
  await out.print({ event: "totals", ...about, patients, insurances, blocked }, describeTotals(totals));
  for (const group of findings) await out.print({ event: "findings", ...about, ...group }, describeFindings([group]));
  await out.print({ event: "verification", ...about, verification }, [
    verification
      ? `  verified: ${counted(verification.records, "record")}, ${number(verification.different)} with differences`
      : "  not verified yet",
  ]);
  const days = config().MIGRATION_RETENTION_DAYS;
  const kept = { originals_until: originalsUntil(run, days), originals_deleted: run.purged_date };
  await out.print({ event: "kept", ...about, ...kept }, [`  ${describeKept(run, days).join(" ")}`]);
  for (const [at, record] of unready.entries()) {
    const { name: _name, ...fields } = record;
    await out.print(
      { event: "not_ready", ...about, ...fields, reason: describeReason(record) },
      at < MAX_SHOWN ? [describe(record)] : [],
    );
  }
  if (unready.length > MAX_SHOWN) {
    await out.print({ event: "end", ...about }, [
      `  … and ${number(unready.length - MAX_SHOWN)} more: --csv lists all.`,
    ]);
  }
}

const PARTS = { person: "needs staff", refused: "skipped", convertible: "convertible" };

const describe = (record: UnreadyRecord) =>
  `  line ${record.line}, patient ${record.patient ?? "unknown"}: ${PARTS[record.part]}: ${describeReason(record)}`;

function describeReason({ part, codes, reason }: UnreadyRecord): string {
  const why = [...codes, ...(reason ? [reason] : [])].join(", ");
  if (why !== "") return why;
  return part === "person" ? "differs from the check or the export" : "not converted and verified yet";
}

type Row = UnreadyRecord & { run: number; practice: number };

const toRows = ({ run, unready }: RunReport): Row[] =>
  unready.map((record) => ({ ...record, run: run.id, practice: run.practice_id }));

const COLUMNS: readonly [name: string, value: (row: Row) => unknown][] = [
  ["practice", ({ practice }) => practice],
  ["run", ({ run }) => run],
  ["line", ({ line }) => line],
  ["patient", ({ patient }) => patient],
  ["part", ({ part }) => part],
  ["reason", describeReason],
  ["owner", ({ owner }) => owner],
  ["due_date", ({ due_date: due }) => due],
];

await runProgram(main, { failureCode: 3 });
