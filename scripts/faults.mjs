// npm run faults -- [--rounds N] [--first K] [--seed S] [--faults TEXT] [--json FILE]: lets each part of a cluster fail under load, N times, and prints what
// was lost, applied twice, and how long it took to heal.
import "./lib/require-node.mjs";
import path from "node:path";
import { parseArgs } from "node:util";
import { findFaults } from "../tests/support/faults/names.mjs";
import { install } from "./lib/install.mjs";
import { main, run } from "./lib/lifetime.mjs";
import { inRoot, ROOT } from "./lib/paths.mjs";
import { UsageFailure } from "./lib/progress.mjs";

const USAGE = `Usage: npm run faults -- [--rounds N] [--first K] [--seed S] [--faults TEXT] [--json FILE]
N, K and S are whole numbers. Default: 1 round, seed 1. K is the number of the first round: --rounds 1 --first 7 repeats the seventh
TEXT selects the faults whose names contain it, or several texts separated by commas. A full name selects only that fault
FILE gets a line for each round; the table shows all of its rounds. Rounds that it has are left out: repeat the command to go on after a stop
Faults:
${findFaults("")
  .map((name) => `  ${name}`)
  .join("\n")}`;
const OPTIONS = {
  rounds: { type: "string", default: "1" },
  first: { type: "string", default: "1" },
  seed: { type: "string", default: "1" },
  faults: { type: "string", default: "" },
  json: { type: "string" },
};

await main(async () => {
  const { rounds, first, seed, faults, json } = readOptions();
  await install();
  const { requireClusterPrograms } = await import("./lib/cluster/programs.mjs");
  await requireClusterPrograms("npm run faults");
  const { prepareFaketime } = await import("../tests/support/faults/faketime.mjs");
  await prepareFaketime();
  const env = { ...process.env, FAULT_ROUNDS: rounds, FAULT_FIRST: first, FAULT_SEED: seed, FAULT_NAMES: faults };
  if (json) env.FAULT_FILE = path.resolve(json);
  const { code } = await run(process.execPath, [inRoot("scripts/test.mjs"), "faults/cluster"], { cwd: ROOT, env });
  return code;
});

function readOptions() {
  try {
    const { values } = parseArgs({ options: OPTIONS });
    const areNumbers = [values.rounds, values.first, values.seed].every((value) => /^[1-9]\d{0,5}$/.test(value));
    if (areNumbers && findFaults(values.faults).length > 0) return values;
  } catch {
    // An unknown option.
  }
  throw new UsageFailure(USAGE);
}
