// npm run practice -- show|clock|usage --practice ID …: the deprecation clock of a practice, and who still needs it.
import { parseArgs } from "node:util";
import { closePool } from "@/lib/db/pool";
import { db } from "@/lib/db/sql";
import { DomainError } from "@/lib/errors";
import { systemOrigin } from "@/lib/history/origin";
import { mintAccess } from "@/lib/oauth/access";
import { setDeprecationClock } from "@/lib/practices/commands";
import { getPractice, getPracticeRules, type PracticeRules } from "@/lib/practices/queries";
import { legacyInsurancesEnded } from "@/lib/practices/rules";
import { deprecationClockInput } from "@/lib/practices/schema";
import { listLegacyUse } from "@/lib/practices/usage-queries";

const USAGE = `Usage:
  npm run practice -- show  --practice ID
  npm run practice -- clock --practice ID [--date YYYY-MM-DD] [--mode announce|enforce]
                            [--rehearse TIME | --end-rehearsal] [--reason TEXT]
  npm run practice -- usage --practice ID [--since YYYY-MM-DD]`;

/** What the user has to put right: exit code 2. */
class UsageError extends Error {}

const OPTIONS = {
  practice: { type: "string" },
  date: { type: "string" },
  mode: { type: "string" },
  rehearse: { type: "string" },
  "end-rehearsal": { type: "boolean" },
  reason: { type: "string" },
  since: { type: "string" },
} as const;

function readOptions() {
  try {
    const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true });
    const [command, ...more] = positionals;
    if (command !== "show" && command !== "clock" && command !== "usage") throw new UsageError(USAGE);
    if (more.length > 0) throw new UsageError(`"${more[0]}" is one word too many.\n${USAGE}`);
    if (!/^[1-9]\d{0,14}$/.test(values.practice ?? "")) throw new UsageError("--practice must be the id of a practice");
    return { command, practiceId: Number(values.practice), ...values } as const;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${(error as Error).message.split(". ")[0]}.\n${USAGE}`);
  }
}

type Options = ReturnType<typeof readOptions>;

const NAMES = { date: "--date", mode: "--mode", rehearsalTime: "--rehearse" } as const;

/** The clock's settings as they were given; what was left out stays as it is. */
function readClock(options: Options) {
  const { date, mode, rehearse, "end-rehearsal": ends } = options;
  if (rehearse !== undefined && ends) throw new UsageError("--rehearse and --end-rehearsal exclude each other");
  const given = { date, mode, rehearsalTime: ends ? null : rehearse };
  if (Object.values(given).every((value) => value === undefined)) {
    throw new UsageError(`Say what to set: --date, --mode, --rehearse or --end-rehearsal.\n${USAGE}`);
  }
  const parsed = deprecationClockInput.safeParse(given);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const name = NAMES[issue?.path[0] as keyof typeof NAMES];
  throw new UsageError(`${name}: ${name === "--mode" ? "must be announce or enforce" : issue?.message}`);
}

async function main(): Promise<void> {
  const options = readOptions();
  const { command, practiceId } = options;
  const origin = systemOrigin({
    ...{ name: "Command line", source: "staff", operation: "practices.set_clock" },
    ...(options.reason ? { reason: options.reason } : {}),
  });
  const access = mintAccess({ practices: [practiceId], actor: origin.actor });
  const clock = command === "clock" ? readClock(options) : null;
  const since = options.since ?? new Date(Date.now() - 30 * 86_400_000).toISOString().slice(0, 10);
  if (!deprecationClockInput.shape.date.safeParse(since).success) throw new UsageError("--since: must be YYYY-MM-DD");
  const { name } = await getPractice(access, practiceId);
  if (command === "usage") return print(await describeUsage(access, since));
  const rules = clock
    ? await setDeprecationClock({ access, practiceId, origin, ...clock })
    : await getPracticeRules(db, practiceId);
  print(describeRules(name, rules));
}

function describeRules(name: string, rules: PracticeRules): string[] {
  const { insuranceVersioningEnabled, deprecationDate, deprecationMode, now, isRehearsing } = rules;
  const effect = legacyInsurancesEnded(rules)
    ? "insurances in patient records are refused (422) and not shown"
    : "insurances in patient records are taken and shown, with headers that announce the end";
  return [
    `${name}`,
    `  Insurance Versioning: ${insuranceVersioningEnabled ? "enabled" : "disabled"}`,
    `  Deprecation date:     ${deprecationDate}, mode ${deprecationMode}`,
    `  Time of its rules:    ${now.toISOString()}${isRehearsing ? " (a rehearsal)" : ""}`,
    `  Now:                  ${effect}`,
  ];
}

async function describeUsage(access: Parameters<typeof listLegacyUse>[0], since: string): Promise<string[]> {
  const rows = await listLegacyUse(access, since);
  if (rows.length === 0) return [`Nobody used the legacy insurances since ${since}.`];
  const columns = ["day", "client", "endpoint", "reads", "writes"];
  const cells = rows.map((row) => [row.day, row.client_name, row.endpoint, `${row.reads}`, `${row.writes}`]);
  const widths = columns.map((column, at) => Math.max(column.length, ...cells.map((row) => row[at]?.length ?? 0)));
  return [columns, ...cells].map((row) =>
    row
      .map((cell, at) => (at < 3 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
}

function print(lines: readonly string[]): void {
  process.stdout.write(`${lines.join("\n")}\n`);
}

try {
  await main();
} catch (error) {
  process.exitCode = error instanceof UsageError || error instanceof DomainError ? 2 : 1;
  const { message } = error as Error;
  console.error(`✗ ${error instanceof DomainError ? `--practice: ${message}` : message}`);
} finally {
  await closePool();
}
