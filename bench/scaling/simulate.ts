// npm run bench:cells [-- --practices 10000 --seed 1 --load 1 …]: places practices with made-up sizes on cells, by the costs of the last
// published `npm run bench:scaling`. Prints machines, utilization, moves after growth, and what a loss affects. With --publish, it also
// replaces the figures of docs/scaling.md.
import fs from "node:fs";
import { parseArgs } from "node:util";
import { ASSUMPTIONS, type Assumptions } from "./assumptions";
import { readCosts } from "./costs";
import { DOCUMENT_FILE, fillDocument, readResults } from "./document";
import { formatSimulation } from "./tables";
import { simulate } from "./world";

function readOptions(): { assumptions: Assumptions; publish: boolean } {
  const names = Object.keys(ASSUMPTIONS) as (keyof Assumptions)[];
  const { values } = parseArgs({
    options: {
      ...Object.fromEntries(names.map((name) => [name, { type: "string" as const }])),
      publish: { type: "boolean", default: false },
    },
  });
  const { publish, ...texts } = values;
  const given = Object.entries(texts).map(([name, text]) => [name, Number(text)] as const);
  const wrong = given.find(([, value]) => !(value >= 0));
  if (wrong) throw new Error(`--${wrong[0]} must be a number, 0 or more`);
  if (publish && given.length > 0) throw new Error("--publish can't be combined with other assumptions");
  return { assumptions: { ...ASSUMPTIONS, ...Object.fromEntries(given) }, publish };
}

const { assumptions, publish } = readOptions();
const world = simulate(assumptions, readCosts());
process.stdout.write(`${formatSimulation(world)}\n`);
if (publish) {
  const before = fs.readFileSync(DOCUMENT_FILE, "utf8");
  fs.writeFileSync(DOCUMENT_FILE, fillDocument(before, world, readResults()));
}
