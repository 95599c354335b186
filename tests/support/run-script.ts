import { spawn } from "node:child_process";
import { programOf } from "@/scripts/lib/programs.mjs";

export interface ScriptResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/**
 * Runs a program of scripts/, or one with a path, until it exits, on this file's database by default.
 *
 * @param input what the program reads from standard input
 */
export function runScript(
  file: string,
  args: readonly string[],
  settings: Record<string, string> = {},
  input?: string,
): Promise<ScriptResult> {
  const program = file.includes("/") ? file : file.endsWith(".mjs") ? `scripts/${file}` : programOf(file);
  const env = { ...process.env, ...settings };
  const child = spawn(process.execPath, [program, ...args], {
    env,
    stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
  });
  // A program that rejects its arguments ends without reading.
  child.stdin?.on("error", () => {}).end(input);
  const text = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (chunk: string) => {
      text[name] += chunk;
    });
  }
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, ...text })));
}
