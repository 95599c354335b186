// npm run practice -- show|clock|usage|add|add-physician --practice ID …: shows and sets the deprecation clock of a practice, shows
// which clients use legacy insurances, and adds physicians, or another practice of the same organization.

import { type Access, mintAccess, type Origin, systemOrigin } from "@/lib/access/identity/access";
import { db } from "@/lib/platform/db/sql";
import { NotFoundError } from "@/lib/platform/errors";
import { parseOrThrow } from "@/lib/platform/http/validation";
import { createPhysician } from "@/lib/practice/physicians/commands";
import { newPhysician } from "@/lib/practice/physicians/schema";
import { setDeprecationClock } from "@/lib/practice/practices/commands";
import { listLegacyUse } from "@/lib/practice/practices/legacy-usage";
import { getPractice, getPracticeRules, type PracticeRules } from "@/lib/practice/practices/queries";
import { legacyInsurancesEnded } from "@/lib/practice/practices/rules";
import { deprecationClockInput } from "@/lib/practice/practices/schema";
import { setUpPractice } from "@/lib/practice/setup/commands";
import { practiceSetup } from "@/lib/practice/setup/schema";
import { namingOptions, readCommand, readId, runProgram, UsageError, type Values } from "./lib/command-line";

const USAGE = `Usage:
  npm run practice -- show  --practice ID
  npm run practice -- clock --practice ID [--date YYYY-MM-DD] [--mode announce|enforce]
                            [--rehearse TIME | --end-rehearsal] [--reason TEXT]
  npm run practice -- usage --practice ID [--since YYYY-MM-DD]
  npm run practice -- add   --practice ID --name NAME [--timezone ZONE]
  npm run practice -- add-physician --practice ID --first-name NAME --last-name NAME --email EMAIL --npi NPI
                            --license NUMBER --license-state STATE [--credentials TEXT]`;

/** The options of the fields of a physician. */
const PHYSICIAN_OPTIONS = {
  first_name: "first-name",
  last_name: "last-name",
  email: "email",
  npi: "npi",
  license: "license",
  license_state: "license-state",
  credentials: "credentials",
} as const;

const COMMAND_LINE = {
  usage: USAGE,
  options: {
    practice: { type: "string" },
    date: { type: "string" },
    mode: { type: "string" },
    rehearse: { type: "string" },
    "end-rehearsal": { type: "boolean" },
    reason: { type: "string" },
    since: { type: "string" },
    name: { type: "string" },
    timezone: { type: "string" },
    "first-name": { type: "string" },
    "last-name": { type: "string" },
    email: { type: "string" },
    npi: { type: "string" },
    license: { type: "string" },
    "license-state": { type: "string" },
    credentials: { type: "string" },
  },
  commands: {
    show: { options: ["practice"] },
    clock: { options: ["practice", "date", "mode", "rehearse", "end-rehearsal", "reason"] },
    usage: { options: ["practice", "since"] },
    add: { options: ["practice", "name", "timezone"] },
    "add-physician": { options: ["practice", ...Object.values(PHYSICIAN_OPTIONS)] },
  },
} as const;
type Given = Values<typeof COMMAND_LINE.options>;

const NAMES = { date: "--date", mode: "--mode", rehearsalTime: "--rehearse" } as const;

/** Reads the settings of the clock to change. Others keep their values. */
function readClock({ date, mode, rehearse, "end-rehearsal": ends }: Given) {
  if (rehearse !== undefined && ends) throw new UsageError("--rehearse and --end-rehearsal can't be combined");
  const given = { date, mode, rehearsalTime: ends ? null : rehearse };
  if (Object.values(given).every((value) => value === undefined)) {
    throw new UsageError(`--date, --mode, --rehearse or --end-rehearsal is required.\n${USAGE}`);
  }
  const parsed = deprecationClockInput.safeParse(given);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const name = NAMES[issue?.path[0] as keyof typeof NAMES];
  throw new UsageError(`${name}: ${name === "--mode" ? "must be announce or enforce" : issue?.message}`);
}

/** What the history of records names as the source of a change. */
const OPERATIONS = {
  clock: "practices.set_clock",
  add: "practices.create",
  "add-physician": "physicians.create",
} as const;

async function main(): Promise<number> {
  const { command, values } = readCommand(COMMAND_LINE);
  const practiceId = readId(values.practice, "--practice");
  const origin = systemOrigin({
    name: "Command line",
    source: "staff",
    operation: OPERATIONS[command as keyof typeof OPERATIONS] ?? "practices.read",
    ...(values.reason ? { reason: values.reason } : {}),
  });
  const access = mintAccess({ practices: [practiceId], actor: origin.actor });
  const clock = command === "clock" ? readClock(values) : null;
  const since = values.since ?? new Date(Date.now() - 30 * 86_400_000).toISOString().slice(0, 10);
  if (!deprecationClockInput.shape.date.safeParse(since).success) throw new UsageError("--since: must be YYYY-MM-DD");
  const { name } = await getPractice(access, practiceId).catch((error: unknown) => {
    throw error instanceof NotFoundError ? new UsageError(`--practice: ${error.message}`) : error;
  });
  if (command === "add") return print([await addPractice({ access, origin }, name, values)]);
  if (command === "add-physician") return print([await addPhysician(practiceId, values, origin)]);
  if (command === "usage") return print(await describeUsage(access, since));
  const rules = clock
    ? await setDeprecationClock({ access, practiceId, origin, ...clock })
    : await getPracticeRules(db, practiceId);
  return print([...describeRules(name, rules), ...(values["end-rehearsal"] ? warnOfEnforcement(rules) : [])]);
}

async function addPractice(request: { access: Access; origin: Origin }, like: string, given: Given): Promise<string> {
  const { name, timezone } = given;
  return namingOptions({ name: "--name", timezone: "--timezone" }, async () => {
    const input = parseOrThrow(practiceSetup, { name, timezone });
    const { id, admins } = await setUpPractice(request, input);
    const managed = admins.length > 0 ? `It has the same admins as ${like}: ${admins.join(", ")}.` : "It has no admin.";
    return `Added ${input.name}, practice ${id}. ${managed}`;
  });
}

async function addPhysician(practiceId: number, given: Given, origin: Origin): Promise<string> {
  const options = Object.entries(PHYSICIAN_OPTIONS);
  const names = Object.fromEntries(options.map(([field, option]) => [field, `--${option}`]));
  const input = Object.fromEntries(options.map(([field, option]) => [field, given[option]?.trim()]));
  return namingOptions(names, async () => {
    const { id, first_name, last_name } = await createPhysician(practiceId, parseOrThrow(newPhysician, input), origin);
    return `Added ${first_name} ${last_name}, physician ${id}.`;
  });
}

function describeRules(name: string, rules: PracticeRules): string[] {
  const { insuranceVersioningEnabled, deprecationDate, deprecationMode, now, isRehearsing } = rules;
  const effect = legacyInsurancesEnded(rules)
    ? "legacy insurances are rejected (422) and not returned"
    : "legacy insurances are accepted and returned, with deprecation headers";
  return [
    `${name}`,
    `  Insurance Versioning: ${insuranceVersioningEnabled ? "enabled" : "disabled"}`,
    `  Deprecation date:     ${deprecationDate}, mode ${deprecationMode}`,
    `  Current time:         ${now.toISOString()}${isRehearsing ? " (rehearsal)" : ""}`,
    `  Now:                  ${effect}`,
  ];
}

/** Warns that the end of a rehearsal does not change the mode, which now applies at the real time. */
function warnOfEnforcement(rules: PracticeRules): string[] {
  if (rules.deprecationMode !== "enforce") return [];
  const effect = legacyInsurancesEnded(rules)
    ? `are rejected, because the deprecation date ${rules.deprecationDate} has passed`
    : `will be rejected from ${rules.deprecationDate}T00:00:00Z`;
  return [
    `! The rehearsal has ended but the mode is still enforce: writes with legacy insurances ${effect}.`,
    "  To switch back: clock --practice ID --mode announce",
  ];
}

async function describeUsage(access: Parameters<typeof listLegacyUse>[0], since: string): Promise<string[]> {
  const rows = await listLegacyUse(access, since);
  if (rows.length === 0) return [`No client has used legacy insurances since ${since}.`];
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

function print(lines: readonly string[]): number {
  process.stdout.write(`${lines.join("\n")}\n`);
  return 0;
}

await runProgram(main);
