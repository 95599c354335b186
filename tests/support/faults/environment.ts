import fs from "node:fs";

/** Returns the variables with which a process was started. */
export function readEnvironment(pid: number | undefined): Record<string, string | undefined> {
  const lines = fs.readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]));
}
