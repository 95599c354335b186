#!/usr/bin/env node
// npx crosswalk COMMAND …: sets up an organization, migrates exports, and forwards webhooks. `check` needs no server or database, and
// `listen` uses the API of a server. The others use the database of `npm start`.
import path from "node:path";
import "./lib/require-node.mjs";
import { install } from "./lib/install.mjs";
import { main, onEnd, run, stopsBySignal } from "./lib/lifetime.mjs";
import { logToFile } from "./lib/log-file.mjs";
import { MIGRATION_NODE_OPTIONS } from "./lib/node-options.mjs";
import { inRoot, ROOT } from "./lib/paths.mjs";
import { UsageFailure } from "./lib/progress.mjs";
import { checkSettings, loadSettings } from "./lib/settings.mjs";

const COMMANDS = {
  setup:
    "setup --organization NAME --practice NAME --admin EMAIL [--admin-name NAME] [--timezone ZONE] [--dry-run] [--json]",
  check: "check FILE --companies FILE [--as-of DATE] [--columns FILE] [--json]",
  convert:
    "convert FILE|--own --practice ID [--companies FILE] [--as-of DATE] [--columns FILE] [--accept-fixes] [--archive-absent] [--leave-out REASON | --leave-out-past REASON] [--json]",
  verify: "verify RUN [--json]",
  rollback: "rollback RUN --reason TEXT [--json]",
  report: "report [--practice ID | --run ID] [--csv | --json]",
  listen: "listen --forward URL [--server URL] [--resource NAME …] [--json]",
};
const USAGE = ["Usage:", ...Object.values(COMMANDS).map((form) => `  npx crosswalk ${form}`)].join("\n");
const EXIT_CODES = "Exit codes: 0 success, 1 errors or differences found, 2 wrong usage, 3 failed, 130 stopped.";

/** Commands that need no installation on this machine. */
const REMOTE = new Set(["check", "listen"]);
/** Commands that need no secret key. */
const UNSIGNED = new Set(["setup", "verify", "report"]);

const [command, ...args] = process.argv.slice(2);

const work = async () => {
  if (command === undefined || command === "--help" || command === "help") {
    process.stdout.write(`${USAGE}\n${EXIT_CODES}\n`);
    return command === undefined ? 2 : 0;
  }
  if (!Object.hasOwn(COMMANDS, command)) {
    throw new UsageFailure(`"${command}" is not a command. Commands: ${Object.keys(COMMANDS).join(", ")}`);
  }
  await install();
  if (command === "listen") stopsBySignal();
  if (REMOTE.has(command)) logToFile(command, { inData: false });
  else await openInstallation();
  // The working directory stays, because file names are relative to it.
  const { nodeArguments } = await import("./lib/programs.mjs");
  const program = await nodeArguments(`scripts/crosswalk-${command}.ts`);
  // Sources run where no bundle can be written, and the compiler would look for its configuration in the working directory.
  const env = { ...process.env, TSX_TSCONFIG_PATH: inRoot("tsconfig.json") };
  const ended = run(process.execPath, [...MIGRATION_NODE_OPTIONS, ...program, ...args], { env });
  // After a signal, the program finishes its current batch. It needs the database until then.
  onEnd(() => ended.then(() => {}));
  return (await ended).code;
};

/** Loads the settings and the database of `npm start`, from any working directory. */
async function openInstallation() {
  // Commands that sign nothing create neither a data folder nor a secret.
  loadSettings({ nodeEnv: "production", keepsSecret: Boolean(process.env.DATABASE_URL) && !UNSIGNED.has(command) });
  if (process.env.IMAGE_STORE_DIR) process.env.IMAGE_STORE_DIR = path.resolve(ROOT, process.env.IMAGE_STORE_DIR);
  logToFile(command, { inData: true });
  await checkSettings();
  const { migrate, openDatabase, requireDatabase } = await import("./lib/database.mjs");
  requireDatabase();
  await migrate(await openDatabase());
}

// 1 would mean that the export has errors.
await main(work, { failureCode: 3 });
