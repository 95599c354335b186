#!/usr/bin/env node
// npx crosswalk COMMAND …: what a migration team scripts. `check` needs no server and no database.
import "./lib/require-node.mjs";
import { install } from "./lib/install.mjs";
import { main, run } from "./lib/lifetime.mjs";
import { inRoot } from "./lib/paths.mjs";
import { UsageFailure } from "./lib/progress.mjs";

const COMMANDS = ["check"];
const USAGE = "Usage: npx crosswalk check FILE --companies FILE [--as-of DATE] [--columns FILE] [--json]";
const EXIT_CODES = "It ends with 0: clean, 1: an error was found, 2: wrong use, 3: it could not be checked.";

const [command, ...args] = process.argv.slice(2);

const work = async () => {
  if (command === undefined || command === "--help" || command === "help") {
    process.stdout.write(`${USAGE}\n${EXIT_CODES}\n`);
    return command === undefined ? 2 : 0;
  }
  if (!COMMANDS.includes(command)) throw new UsageFailure(`"${command}" is no command. ${USAGE}`);
  await install();
  const { generate } = await import("./lib/build-steps.mjs");
  await generate();
  // The folder the user stands in stays: the files they name are beside them.
  const settings = { ...process.env, TSX_TSCONFIG_PATH: inRoot("tsconfig.json") };
  const program = ["--import", import.meta.resolve("tsx"), inRoot(`scripts/crosswalk-${command}.ts`), ...args];
  const { code } = await run(process.execPath, program, { env: settings });
  return code;
};

// Where it could not even begin, 1 would say that the export has errors.
await main(work, { failureCode: 3 });
