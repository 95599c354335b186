// npm run import -- FILE.ndjson --practice ID [--companies FILE.ndjson] [--json]
import { SingleBar } from "cli-progress";
import { type ImportRequest, importLegacyFile } from "@/lib/migration/import/import-file";
import type { CompaniesReport, ImportReport, Refusal } from "@/lib/migration/record/schema";
import { BusinessRuleError, NotFoundError } from "@/lib/platform/errors";
import { readArguments, readId, requireReadable, runProgram, UsageError } from "./lib/command-line";

const USAGE = "Usage: npm run import -- FILE.ndjson --practice ID [--companies FILE.ndjson] [--json]";

interface Options {
  file: string;
  companiesFile: string | null;
  practiceId: number;
  asJson: boolean;
}

async function readOptions(): Promise<Options> {
  const options = { practice: { type: "string" }, companies: { type: "string" }, json: { type: "boolean" } } as const;
  const { values, words } = readArguments({ usage: USAGE, options, words: 1 });
  const [file] = words;
  if (!file) throw new UsageError(`FILE is missing: the legacy export to read. ${USAGE}`);
  const { practice, companies = null, json: asJson = false } = values;
  if (practice === undefined) throw new UsageError(`--practice is missing: the id of the practice. ${USAGE}`);
  const practiceId = readId(practice, "--practice");
  await requireReadable("FILE", file);
  if (companies !== null) await requireReadable("--companies", companies);
  return { file, companiesFile: companies, practiceId, asJson };
}

async function main(): Promise<number> {
  const options = await readOptions();
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => stop.abort());
  const bar = new SingleBar({
    format: "{bar} {percentage} %  {lines} lines  {duration_formatted}",
    stream: process.stderr,
    clearOnComplete: true,
    hideCursor: true,
  });
  let shown = false;
  const onProgress = ({ bytesRead, size, lines }: { bytesRead: number; size: number; lines: number }) => {
    if (!process.stderr.isTTY) return;
    if (!shown) bar.start(size, 0, { lines: 0 });
    shown = true;
    bar.update(bytesRead, { lines });
  };
  try {
    const report = await importInto({ ...options, onProgress, signal: stop.signal });
    const peak = Math.round(process.resourceUsage().maxRSS / 1024);
    bar.stop();
    process.stdout.write(
      options.asJson ? `${JSON.stringify({ ...report, peak_memory_mib: peak })}\n` : describe(report, peak),
    );
    if (!report.finished) return 130;
    return report.refused + (report.companies?.refused ?? 0) > 0 ? 1 : 0;
  } finally {
    if (shown) bar.stop();
  }
}

/** Reasons that are for the file to mend. */
const OF_FILE = new Set(["format_unknown", "file_unreadable"]);

/** Before the first line is read, what stands in the way of a practice is for the caller to mend. */
async function importInto(request: ImportRequest): Promise<ImportReport> {
  return importLegacyFile(request).catch((error: unknown) => {
    if (error instanceof BusinessRuleError && OF_FILE.has(error.reason)) throw new UsageError(`FILE: ${error.message}`);
    const nothingBegun = error instanceof NotFoundError || error instanceof BusinessRuleError;
    throw nothingBegun ? new UsageError(`--practice: ${error.message}`) : error;
  });
}

const count = (value: number) => value.toLocaleString("en-US");

function describe(report: ImportReport, peakMib: number): string {
  const { resumed_after_line: resumed, companies, seconds, lines_per_second: rate } = report;
  const lines = [
    ...(resumed === null ? [] : [`Went on after line ${count(resumed)}, where an earlier run was cut short.`]),
    ...(companies ? describeCompanies(companies) : []),
    `Patients: ${count(report.read)} read, ${count(report.created)} created, ${count(report.unchanged)} unchanged, ${count(report.refused)} refused`,
    `Created with them: ${count(report.active_policies)} active and ${count(report.archived_policies)} archived policies, ${count(report.card_images)} card images`,
    ...listRefusals(report.refusals, report.refused),
    ...report.notes,
    `${seconds.toFixed(1)} s, ${count(Math.round(rate))} lines a second, ${count(peakMib)} MiB of memory at most`,
    ...(report.finished ? [] : ["Stopped before the end. The same command goes on from here."]),
  ];
  return `${lines.join("\n")}\n`;
}

function describeCompanies({ read, created, updated, unchanged, refused, refusals }: CompaniesReport): string[] {
  const counts = `${count(created)} created, ${count(updated)} updated, ${count(unchanged)} unchanged, ${count(refused)} refused`;
  return [`Companies: ${count(read)} read, ${counts}`, ...listRefusals(refusals, refused)];
}

function listRefusals(refusals: readonly Refusal[], total: number): string[] {
  const listed = refusals.map(({ line, reason }) => `  line ${line}: ${reason}`);
  return total > refusals.length ? [...listed, `  … and ${count(total - refusals.length)} more`] : listed;
}

await runProgram(main, {
  hint: "Nothing of the batch in hand was written. The same command goes on from there.",
});
