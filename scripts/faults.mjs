// npm run faults -- [--rounds N] [--seed S]: lets each part of a cluster fail under load, N times, and prints what was lost, made twice, and how
// long it took to heal.
import "./lib/require-node.mjs";
import { parseArgs } from "node:util";
import { main, run } from "./lib/lifetime.mjs";
import { inRoot, ROOT } from "./lib/paths.mjs";
import { UsageFailure } from "./lib/progress.mjs";

const USAGE = "Usage: npm run faults -- [--rounds N] [--seed S], with whole numbers. Default: 1 round, seed 1";
const OPTIONS = { rounds: { type: "string", default: "1" }, seed: { type: "string", default: "1" } };

await main(async () => {
  const { rounds, seed } = readOptions();
  const env = { ...process.env, FAULT_ROUNDS: rounds, FAULT_SEED: seed };
  const { code } = await run(process.execPath, [inRoot("scripts/test.mjs"), "faults/cluster"], { cwd: ROOT, env });
  return code;
});

function readOptions() {
  try {
    const { values } = parseArgs({ options: OPTIONS });
    if (Object.values(values).every((value) => /^[1-9]\d{0,5}$/.test(value))) return values;
  } catch {
    // An unknown option.
  }
  throw new UsageFailure(USAGE);
}
