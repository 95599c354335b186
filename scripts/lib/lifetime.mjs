// The end of a process: clean-ups run once, in reverse order, whether it ends normally, by an error or by a signal.
import { spawn } from "node:child_process";
import os from "node:os";
import path from "node:path";
import { describeSystemFailure } from "../../lib/platform/system-failure.mjs";
import { logFailure } from "./log-file.mjs";
import { Failure, UsageFailure } from "./progress.mjs";

const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };
const cleanUps = [];
const children = new Set();
let ending = null;
let codeOnSignal = null;
let codeOnFailure = 1;

/** Registers a clean-up for the end of the process. */
export function onEnd(cleanUp) {
  cleanUps.push(cleanUp);
}

/** Makes a signal the normal way to stop: the process then exits with 0. */
export function stopsBySignal() {
  codeOnSignal = 0;
}

/** Returns whether the process is ending. Long loops check it and stop. */
export const isEnding = () => ending !== null;

/**
 * Ends the process after its clean-ups. Later calls wait for the first, because npm and the terminal both forward Ctrl-C.
 * @param {number} code
 */
export function end(code) {
  ending ??= (async () => {
    for (const child of children) child.kill("SIGTERM");
    for (const cleanUp of cleanUps.reverse()) {
      try {
        await cleanUp();
      } catch (error) {
        console.error(describe(error));
        code ||= codeOnFailure;
      }
    }
    process.exit(code);
  })();
  return ending;
}

/**
 * Under npm, ends this process when npm ends. If npm is killed with -9, it can't forward a signal, and the server would keep the port.
 */
function endWithNpm() {
  if (!process.env.npm_lifecycle_event || !process.env.npm_lifecycle_script?.includes(path.basename(process.argv[1])))
    return;
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && end(codeOnSignal ?? SIGNALS.SIGTERM), 250).unref();
}

/**
 * Runs a script's main function. A Failure and a SettingsError are shown without a stack, any other error with one. Both exit with `failureCode`, and wrong
 * usage with 2.
 * @param {() => Promise<number | void>} work returns the exit code, or nothing if the process keeps running
 * @param {{ failureCode?: number }} [options]
 */
export async function main(work, { failureCode = 1 } = {}) {
  codeOnFailure = failureCode;
  for (const [signal, code] of Object.entries(SIGNALS)) process.on(signal, () => end(codeOnSignal ?? code));
  endWithNpm();
  // The reader of the output may stop early, as `head` does. The work continues with the same exit code.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error) => {
      if (error.code !== "EPIPE") throw error;
    });
  }
  try {
    const code = await work();
    if (typeof code === "number") await end(code);
  } catch (error) {
    if (!isEnding()) console.error(describe(error));
    await end(error instanceof UsageFailure ? 2 : codeOnFailure);
  }
}

function describe(error) {
  if (error instanceof Failure || error?.name === "SettingsError") return `✗ ${error.message}`;
  const message = describeSystemFailure(error, { databaseUrl: process.env.DATABASE_URL });
  const logged = logFailure(error);
  if (message) return [`✗ ${message}`, ...(logged ? [`Log: ${logged}`] : [])].join("\n");
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/**
 * Runs a program until it ends. A signal that ends this process ends the program first.
 * With `output: "keep"` its output is collected instead of shown.
 * @param {string} command
 * @param {string[]} args
 * @param {import("node:child_process").SpawnOptions & { output?: "show" | "keep" }} [options]
 * @returns {Promise<{ code: number, output: string }>}
 */
export function run(command, args, { output = "show", ...options } = {}) {
  return new Promise((resolve, reject) => {
    const stdio = output === "keep" ? ["ignore", "pipe", "pipe"] : "inherit";
    const child = spawn(command, args, { stdio, ...options });
    let text = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (chunk) => {
        text += chunk;
      });
    }
    children.add(child);
    child.on("error", reject);
    child.on("close", (code, signal) => {
      children.delete(child);
      resolve({ code: code ?? 128 + os.constants.signals[signal], output: text });
    });
  });
}

/** Runs a program without showing its output. If it fails, the output is the error. */
export async function runQuietly(what, command, args, options = {}) {
  const { code, output } = await run(command, args, { output: "keep", ...options });
  if (code !== 0) throw new Failure(`${what} failed (exit code ${code})\n${output.trim()}`);
  return output;
}
