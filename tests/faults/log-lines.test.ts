// Log lines wait in memory to be written together. However a process ends, none is lost.
import { spawn } from "node:child_process";
import { expect, test } from "vitest";
import { logProcess } from "../support/programs";

/** Runs a process that logs lines and ends in this way, and returns the lines that it wrote. */
async function loggedLines(lines: number, end: string): Promise<number[]> {
  const child = spawn(process.execPath, [logProcess, String(lines), end], {
    env: { ...process.env, LOG_LEVEL: "info", LOG_FILE: "" },
    stdio: ["ignore", "pipe", "ignore"],
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    output += chunk;
  });
  await new Promise((resolve) => child.once("close", resolve));
  return output
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line).line);
}

const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

test.each([
  ["exits", "exit", 20_000],
  ["has nothing left to do", "end", 20_000],
  ["crashes", "crash", 20_000],
  ["is stopped by SIGTERM", "SIGTERM", 20_001],
])("a process that %s has written every line", async (_what, end, last) => {
  const written = await loggedLines(20_000, end);
  expect(written.sort((a, b) => a - b)).toEqual(upTo(last));
});

test("warnings and the lines before them are written even if the process is killed", async () => {
  expect(await loggedLines(10, "warning")).toEqual(upTo(12));
});
