// Passwords of commands. Never arguments or settings, because other users of the machine can list those of a process.
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { UsageError } from "./command-line";

/** In characters. Longer input is not a password. */
const MAX_INPUT = 10_000;

/**
 * Asks for a new password twice, without echo. If standard input is not a terminal, its only line is the password.
 *
 * @param prompt such as `Password of the admin`
 * @returns null if the user pressed Ctrl-C or Ctrl-D
 * @throws UsageError if there is no password, or the two differ
 */
export async function readNewPassword(prompt: string): Promise<string | null> {
  const { isTTY } = process.stdin;
  const password = isTTY ? await ask(`${prompt}: `) : await readLine();
  if (password === "") throw new UsageError("The password is empty. Type it, or pass it on standard input.");
  if (!isTTY || password === null) return password;
  const again = await ask("The same password again: ");
  if (again !== null && again !== password) throw new UsageError("The passwords differ.");
  return again;
}

async function ask(prompt: string): Promise<string | null> {
  const discard = new Writable({ write: (_chunk, _encoding, done) => done() });
  const stop = new AbortController();
  // On a terminal, readline switches the echo off and writes what is typed to its output.
  const terminal = createInterface({ input: process.stdin, output: discard, terminal: true, historySize: 0 });
  terminal.once("SIGINT", () => stop.abort()).once("close", () => stop.abort());
  process.stderr.write(prompt);
  try {
    return await terminal.question("", { signal: stop.signal });
  } catch (error) {
    if (stop.signal.aborted) return null;
    throw error;
  } finally {
    terminal.close();
    process.stderr.write("\n");
  }
}

async function readLine(): Promise<string> {
  let text = "";
  for await (const chunk of process.stdin.setEncoding("utf8")) {
    text += chunk;
    if (text.length > MAX_INPUT) break;
  }
  const line = text.replace(/\r?\n$/, "");
  if (/[\r\n]/.test(line)) throw new UsageError("Standard input must hold one line: the password.");
  return line;
}
