// npx crosswalk check FILE --companies FILE [--as-of DATE] [--columns FILE] [--json]: reports what prevents the conversion of a legacy export.

import { checkFile } from "@/lib/migration/check/check-file";
import { CHECKS, describeCode, type Finding } from "@/lib/migration/findings/checks";
import { type CompanyConflict, readCompaniesFile } from "@/lib/migration/read/companies-file";
import type { Columns } from "@/lib/migration/record/columns";
import { isCalendarDate } from "@/lib/migration/record/raw-record";
import { clock } from "@/lib/platform/clock";
import { BusinessRuleError } from "@/lib/platform/errors";
import { fileSource } from "@/lib/platform/files/source";
import { readColumnsFile } from "./lib/columns-file";
import { readArguments, requireReadable, runProgram, UsageError } from "./lib/command-line";
import { fileProgress } from "./lib/file-progress";
import { counted, number, print } from "./lib/output";

const USAGE = `Usage: npx crosswalk check FILE --companies FILE [--as-of DATE] [--columns FILE] [--json]
It ends with 0: clean, 1: an error was found, 2: wrong use, 3: it could not be checked.`;
const SAMPLES = 3;

async function readOptions() {
  const options = {
    companies: { type: "string" },
    "as-of": { type: "string" },
    columns: { type: "string" },
    json: { type: "boolean" },
  } as const;
  const { values, words } = readArguments({ usage: USAGE, options, words: 1 });
  const [file] = words;
  if (!file) throw new UsageError(`FILE is required: the legacy export to check. ${USAGE}`);
  const { companies, "as-of": asOf = clock.now().toISOString().slice(0, 10), json: asJson = false } = values;
  if (!companies) throw new UsageError(`--companies is required: the practice's insurance companies. ${USAGE}`);
  if (!isCalendarDate(asOf)) throw new UsageError("--as-of must be a date, YYYY-MM-DD");
  await requireReadable("FILE", file);
  await requireReadable("--companies", companies);
  const columns = values.columns === undefined ? undefined : await readColumnsFile(values.columns);
  return { file, companies, asOf, columns, asJson };
}

async function main(): Promise<number> {
  const options = await readOptions();
  try {
    return await check(options);
  } catch (error) {
    // An invalid companies file or unknown headings are wrong usage.
    throw error instanceof BusinessRuleError ? new UsageError(error.message) : error;
  }
}

async function check(options: Awaited<ReturnType<typeof readOptions>>): Promise<number> {
  const { file, companies: companiesFile, asOf, columns, asJson } = options;
  const { companies, conflicts } = await readCompaniesFile(companiesFile);
  const source = await fileSource(file);
  const progress = fileProgress(source.size);
  const tally = new Tally(conflicts);
  for (const { line, id, message } of asJson ? conflicts : []) {
    const place = { patient: null, insurance: null, code: "company_id_ambiguous", severity: "error" };
    await print(`${JSON.stringify({ ...place, file: "companies", line, field: "id", found: id, message })}\n`);
  }
  const onColumns = asJson ? undefined : showColumns;
  try {
    for await (const checked of checkFile({ source, companies, asOf, columns, onColumns, onProgress: progress.show })) {
      tally.add(checked);
      if (!asJson) continue;
      const lines =
        "reason" in checked ? [{ patient: null, insurance: null, ...unreadable(checked) }] : checked.findings;
      for (const line of lines) await print(`${JSON.stringify(line)}\n`);
    }
  } finally {
    progress.stop();
  }
  if (tally.records === 0) throw new UsageError(`FILE ${file}: no records found. Is this a legacy export?`);
  if (!asJson) await print(tally.describe());
  return tally.errors > 0 ? 1 : 0;
}

/** Shows the fields that the columns of a CSV file are read as, so that users notice a wrong guess. */
function showColumns(headings: readonly string[], columns: Columns): void {
  const read = headings.filter((heading) => columns[heading]).map((heading) => `  ${heading}: ${columns[heading]}`);
  const others = headings.filter((heading) => !columns[heading]);
  const unread = others.length > 0 ? [`Columns ignored: ${others.join(", ")}`] : [];
  process.stderr.write(`${["Columns read:", ...read, ...unread].join("\n")}\n`);
}

const unreadable = ({ line, reason }: { line: number; reason: string }) => ({
  code: "line_unreadable",
  severity: "error",
  line,
  message: `line ${line}: ${reason}.`,
});

/** Counts findings and keeps a few samples of each code. */
class Tally {
  errors: number;
  records = 0;
  readonly #conflicts: readonly CompanyConflict[];
  #links = 0;
  #insurances = 0;
  #ready = 0;
  readonly #unreadable: string[] = [];
  readonly #found = new Map<Finding["code"], { count: number; samples: Finding[] }>();

  constructor(conflicts: readonly CompanyConflict[]) {
    this.#conflicts = conflicts;
    this.errors = conflicts.length;
  }

  add(checked: Awaited<ReturnType<ReturnType<typeof checkFile>["next"]>>["value"]): void {
    this.records++;
    if ("reason" in checked) {
      this.errors++;
      this.#unreadable.push(`  line ${checked.line}: ${checked.reason}`);
      return;
    }
    const { patient, findings, links } = checked;
    this.#links += links;
    const errors = findings.filter(({ severity }: Finding) => severity === "error").length;
    this.errors += errors;
    this.#insurances += Array.isArray(patient.insurances) ? patient.insurances.length : 0;
    if (errors === 0) this.#ready++;
    for (const finding of findings) {
      const group = this.#found.get(finding.code) ?? { count: 0, samples: [] };
      group.count++;
      if (group.samples.length < SAMPLES) group.samples.push(finding);
      this.#found.set(finding.code, group);
    }
  }

  describe(): string {
    const specified = Object.keys(CHECKS);
    const order = (code: string) => (specified.includes(code) ? specified.indexOf(code) : specified.length);
    const groups = [...this.#found].sort(([a], [b]) => order(a) - order(b)).map((found) => describeGroup(...found));
    const conflicts = this.#conflicts.map(({ line, message }) => `  companies file, line ${line}: ${message}`);
    const links =
      this.#links > 0 ? [`${number(this.#links)} insurances will be linked to a company by their carrier's name.`] : [];
    const counts = `${counted(this.records, "record")} with ${counted(this.#insurances, "insurance")}: ${number(this.#ready)} can be converted, ${number(this.records - this.#ready)} can't yet.`;
    return `${[counts, ...links, ...conflicts, ...this.#unreadable.slice(0, 20), ...groups].join("\n")}\n`;
  }
}

function describeGroup(
  code: Finding["code"],
  { count, samples }: { count: number; samples: readonly Finding[] },
): string {
  const { severity, title, advice } = describeCode(code);
  const lines = samples.map(({ patient, insurance, list, message, found, fix }) => {
    const which = list === "deleted_insurances" ? "past insurance" : "insurance";
    const where = list === null ? `patient ${patient}` : `patient ${patient}, ${which} ${insurance ?? "without an ID"}`;
    const value = found === null || typeof found === "object" ? "" : ` Found: ${JSON.stringify(found).slice(0, 80)}.`;
    return `    ${where}: ${message}${value}${fix ? ` Proposed: ${JSON.stringify(fix.values)}.` : ""}`;
  });
  const more = count > samples.length ? [`    … and ${number(count - samples.length)} more`] : [];
  return [`${severity} ${code}: ${title} (${number(count)}). ${advice}`, ...lines, ...more].join("\n");
}

await runProgram(main, { failureCode: 3, hint: "Nothing was written." });
