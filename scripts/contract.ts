// npm run contract -- --folder FOLDER [--all]: compares every operation of the contract with the one
// that serves it.
import fs from "node:fs";
import path from "node:path";
import { readArguments, runProgram, UsageError } from "./lib/command-line";
import { reasonFor } from "./lib/contract-reasons";
import { type Contract, compareWithContract, type ServedOperation } from "./lib/contract-table";

const USAGE = `Usage:
  npm run contract -- --folder FOLDER [--all]

  --folder  the folder with operations.json and schemas.json of the contract
  --all     list every operation, not only resources`;

const OPTIONS = { folder: { type: "string" }, all: { type: "boolean" } } as const;

function read(folder: string, name: string) {
  try {
    return JSON.parse(fs.readFileSync(path.join(folder, name), "utf8"));
  } catch (error) {
    throw new UsageError(`--folder: ${name} can't be read (${(error as Error).message}).`);
  }
}

async function main(): Promise<number> {
  const { values } = readArguments({ usage: USAGE, options: OPTIONS }, process.argv.slice(2));
  if (!values.folder) throw new UsageError(`--folder is required.\n${USAGE}`);
  const rows = compareWithContract(
    read(values.folder, "operations.json") as Contract,
    read(values.folder, "schemas.json"),
  );
  const resources = groupBy(rows, ({ group, resource }) => `${group} | ${resource}`);
  console.log("| Group | Resource | Operations | Served | Scopes |\n|---|---|---|---|---|");
  for (const [name, operations] of resources) {
    const served = operations.filter(({ isServed }) => isServed).length;
    const scopes = [...new Set(operations.map(({ scope }) => scope))].join(", ");
    console.log(`| ${name} | ${operations.length} | ${served} | ${scopes} |`);
    if (values.all)
      for (const { method, path, isServed } of operations)
        console.log(`| | ${method} ${path} | | ${isServed ? "yes" : "no"} | |`);
  }
  const differing = rows.flatMap(listDifferences);
  const unexplained = differing.filter(({ reason }) => reason === null);
  console.log("\nOn purpose:");
  for (const [reason, ones] of groupBy(
    differing.filter(({ reason }) => reason !== null),
    ({ reason }) => reason ?? "",
  ))
    console.log(`- ${reason}\n${[...new Set(ones.map(({ line }) => `    ${line}`))].join("\n")}`);
  if (unexplained.length > 0) console.log(`\nUnexplained:\n${unexplained.map(({ line }) => `    ${line}`).join("\n")}`);
  const served = rows.filter(({ isServed }) => isServed).length;
  console.log(
    `\n${served} of ${rows.length} operations are served. ${unexplained.length} differences are unexplained.`,
  );
  return served === rows.length && unexplained.length === 0 ? 0 : 1;
}

function groupBy<T>(entries: readonly T[], keyOf: (entry: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const entry of entries) groups.set(keyOf(entry), [...(groups.get(keyOf(entry)) ?? []), entry]);
  return groups;
}

function listDifferences({ resource, method, path, differences }: ServedOperation) {
  return differences.map(({ at, problem }) => ({
    reason: reasonFor({ resource, at, problem }),
    line: `${method} ${path}: ${at} ${problem.length > 120 ? `${problem.slice(0, 120)}…` : problem}`,
  }));
}

await runProgram(main);
