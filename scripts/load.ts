// npm run load -- RESOURCE FILE [--practice ID] …: loads records of a resource from a file.
import path from "node:path";
import { resources } from "@/generated/resources";
import { mintAccess, systemOrigin } from "@/lib/access/identity/access";
import { BusinessRuleError, NotFoundError } from "@/lib/platform/errors";
import { fileSource } from "@/lib/platform/files/source";
import { getPractice } from "@/lib/practice/practices/queries";
import { type LoadReport, type LoadRequest, loadRecords } from "@/lib/records/engine/load-commands";
import { readFileRows } from "@/lib/records/engine/load-rows";
import type { Resource } from "@/lib/records/engine/schema";
import { readArguments, readId, requireReadable, runProgram, UsageError } from "./lib/command-line";
import { number } from "./lib/output";

const USAGE = `Usage: npm run load -- RESOURCE FILE [--practice ID] [--format ndjson|csv] [--reason TEXT]
                    [--dry-run] [--all-or-nothing] [--remove-absent] [--json]`;

const FORMATS: Readonly<Record<string, "ndjson" | "csv">> = {
  ".ndjson": "ndjson",
  ".jsonl": "ndjson",
  ".json": "ndjson",
  ".csv": "csv",
  ".tsv": "csv",
  ".txt": "csv",
};

const declarations = new Map<string, Resource>(
  resources.filter(({ path }) => path === undefined).map((resource) => [resource.name, resource]),
);

interface Options {
  request: LoadRequest;
  asJson: boolean;
}

async function readOptions(): Promise<Options> {
  const { values, words } = readArguments({
    usage: USAGE,
    options: {
      practice: { type: "string" },
      format: { type: "string" },
      reason: { type: "string" },
      "dry-run": { type: "boolean" },
      "all-or-nothing": { type: "boolean" },
      "remove-absent": { type: "boolean" },
      json: { type: "boolean" },
    },
    words: 2,
  });
  const [name, file] = words;
  if (!name || !file) throw new UsageError(`${name ? "FILE" : "RESOURCE"} is missing. ${USAGE}`);
  const resource = declarations.get(name);
  if (!resource)
    throw new UsageError(`"${name}" is not a resource. Resources: ${[...declarations.keys()].sort().join(", ")}`);
  await requireReadable("FILE", file);
  const format = formatOf(file, values.format);
  const practiceId = values.practice === undefined ? null : readId(values.practice, "--practice");
  if (practiceId !== null) await requirePractice(practiceId);
  const source = await fileSource(file);
  const request = {
    resource,
    declarations,
    practiceId,
    from: path.basename(file),
    reason: values.reason,
    dryRun: values["dry-run"],
    allOrNothing: values["all-or-nothing"],
    removeAbsent: values["remove-absent"],
    rows: () => readFileRows(resource, declarations, { source, format }),
  };
  return { request, asJson: values.json ?? false };
}

function formatOf(file: string, given: string | undefined): "ndjson" | "csv" {
  const format = given ?? FORMATS[path.extname(file).toLowerCase()];
  if (format === "ndjson" || format === "csv") return format;
  throw new UsageError(given ? "--format must be ndjson or csv" : `--format is missing: is ${file} ndjson or csv?`);
}

async function requirePractice(practiceId: number): Promise<void> {
  const { actor } = systemOrigin({ name: "Record loader", source: "migration", operation: "records.load" });
  await getPractice(mintAccess({ practices: [practiceId], actor }), practiceId).catch((error: unknown) => {
    throw error instanceof NotFoundError ? new UsageError(`--practice: ${error.message}`) : error;
  });
}

async function main(): Promise<number> {
  const { request, asJson } = await readOptions();
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => stop.abort());
  const started = performance.now();
  const report = await loadRecords({ ...request, onProgress: showProgress, signal: stop.signal }).catch(toUsageError);
  const seconds = (performance.now() - started) / 1000;
  const peak = Math.round(process.resourceUsage().maxRSS / 1024);
  if (process.stderr.isTTY) process.stderr.write("\r\x1b[K");
  const result = { resource: request.resource.name, ...report, seconds, peak_memory_mib: peak };
  process.stdout.write(asJson ? `${JSON.stringify(result)}\n` : describe(request, report, { seconds, peak }));
  if (!report.finished) return 130;
  return report.rejected > 0 ? 1 : 0;
}

/** Reports an error that prevents the whole load as wrong usage. */
function toUsageError(error: unknown): never {
  throw error instanceof BusinessRuleError ? new UsageError(error.message) : error;
}

let shown = 0;
function showProgress({ rows }: { rows: number }): void {
  if (!process.stderr.isTTY || rows - shown < 1_000) return;
  shown = rows;
  process.stderr.write(`\r\x1b[K… ${number(rows)} rows`);
}

function describe(
  { resource, dryRun }: LoadRequest,
  report: LoadReport,
  { seconds, peak }: { seconds: number; peak: number },
): string {
  const { read, created, updated, unchanged, removed, rejected, rejections } = report;
  const counts = `${number(created)} created, ${number(updated)} updated, ${number(unchanged)} unchanged`;
  const lines = [
    `${resource.name}: ${number(read)} read, ${counts}, ${number(removed)} removed, ${number(rejected)} rejected`,
    ...rejections.map(({ line, reason }) => `  line ${line}: ${reason}`),
    ...(rejected > rejections.length ? [`  … and ${number(rejected - rejections.length)} more`] : []),
    ...(report.written ? [] : [dryRun ? "Dry run: nothing was written." : "Nothing was written."]),
    ...(report.finished ? [] : ["Stopped before the end. Run the same command to continue."]),
    `${seconds.toFixed(1)} s, ${number(Math.round(read / seconds))} rows per second, at most ${number(peak)} MiB of memory`,
  ];
  return `${lines.join("\n")}\n`;
}

await runProgram(main, {
  hint: "The current batch was not written. Run the same command to continue.",
});
