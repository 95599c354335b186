// The logs of a cluster's programs, which are removed with its folder.
import fs from "node:fs";
import path from "node:path";

/** How much of a log to print: the last lines. */
const LINES = 40;

/** Copies the logs of a folder and of the machines in it. */
export function copyLogs(folder: string, target: string): void {
  fs.mkdirSync(target, { recursive: true });
  for (const log of findLogs(folder))
    fs.copyFileSync(path.join(folder, log), path.join(target, log.replaceAll(path.sep, "-")));
}

/** Prints the end of each log of a folder and of the machines in it. */
export function printLogs(folder: string): void {
  for (const log of findLogs(folder))
    console.error(
      `${log}\n${fs.readFileSync(path.join(folder, log), "utf8").trimEnd().split("\n").slice(-LINES).join("\n")}`,
    );
}

function findLogs(folder: string): string[] {
  const entries = fs.readdirSync(folder, { withFileTypes: true });
  const machines = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  return ["", ...machines].flatMap((place) =>
    fs
      .readdirSync(path.join(folder, place))
      .filter((name) => name.endsWith(".log"))
      .map((name) => path.join(place, name)),
  );
}
