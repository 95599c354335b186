// The command line of our programs: commands, options, words, and what an exit code says.
import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { type ParseArgsConfig, parseArgs } from "node:util";
import { closePool } from "@/lib/platform/db/pool";
import { DomainError } from "@/lib/platform/errors";
import { log } from "@/lib/platform/log";
import { describeSystemFailure } from "@/lib/platform/system-failure.mjs";
import { whereLogged } from "./log-file.mjs";
import { surviveReader } from "./output";

/** What the user has to put right before anything can begin: exit code 2. */
export class UsageError extends Error {}

/** What went wrong though the use was right, in words for the user. */
export class ProgramError extends Error {}

type Options = NonNullable<ParseArgsConfig["options"]>;

interface Form<O extends Options> {
  /** Shown with every complaint. */
  usage: string;
  options: O;
  /** Most words there may be besides the options; none unless told. */
  words?: number;
}

type Parsed<O extends Options> = ReturnType<typeof parseArgs<{ options: O; allowPositionals: true }>>;

/** What was given of these options. */
export type Values<O extends Options> = Parsed<O>["values"];

/** @throws UsageError an unknown option, one without its value, or a word too many */
export function readArguments<const O extends Options>(
  form: Form<O>,
  args = process.argv.slice(2),
): { values: Values<O>; words: string[] } {
  const { values, positionals: words } = parse(form, args);
  const surplus = words[form.words ?? 0];
  if (surplus !== undefined) throw new UsageError(`"${surplus}" is one word too many. ${form.usage}`);
  return { values, words };
}

function parse<const O extends Options>({ options, usage }: Form<O>, args: string[]): Parsed<O> {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    // The first sentence says what is wrong; the others are about words that begin with a dash.
    const [problem = ""] = (error as Error).message.split(/\.?[\n ]+(?=[A-Z])/);
    throw new UsageError(`${problem.replace(/\.$/, "")}. ${usage}`);
  }
}

/**
 * Reads the arguments of a program whose first word names what to do.
 *
 * @param form.commands the options each takes, and how many words
 * @throws UsageError as `readArguments`, and an unknown command
 */
export function readCommand<const O extends Options, C extends string>(form: {
  usage: string;
  options: O;
  commands: Record<C, { options?: readonly (keyof O)[]; words?: number }>;
}): { command: C; values: Values<O>; words: string[] } {
  const { usage, commands } = form;
  const [command = "", ...args] = process.argv.slice(2);
  if (!Object.hasOwn(commands, command)) {
    throw new UsageError(command === "" ? usage : `"${command}" is no command. ${usage}`);
  }
  const { options: taken = [], words = 0 } = commands[command as C];
  const given = readArguments({ usage, options: form.options, words }, args);
  const foreign = Object.keys(given.values).find((name) => !taken.includes(name));
  if (foreign) throw new UsageError(`--${foreign} is no option of ${command}. ${usage}`);
  return { command: command as C, ...given };
}

/** A whole number that may be an id. `name` is how the usage calls it. */
export function readId(text: string | undefined, name: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text ?? "")) throw new UsageError(`${name} must be an id, a whole number`);
  return Number(text);
}

/** @throws UsageError where the file an option names can't be read. A pipe can, and so can standard input, `-`. */
export async function requireReadable(option: string, file: string): Promise<void> {
  if (file === "-") return;
  try {
    const found = await stat(file);
    if (!found.isFile() && !found.isFIFO() && !found.isCharacterDevice()) throw new Error("it is not a file");
    await access(file, constants.R_OK);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === "ENOENT" ? "there is no such file" : code === "EACCES" ? "no right to read it" : message;
    throw new UsageError(`${option} ${file} can't be read: ${why}`);
  }
}

/**
 * Runs a program to its end. What it gives is the exit code; 2 says that nothing began, for the user has to put something
 * right, and `failureCode` that something else went wrong.
 *
 * @param onFailure.hint what the user should know where something else went wrong
 */
export async function runProgram(
  work: () => Promise<number>,
  onFailure: { failureCode?: number; hint?: string } = {},
): Promise<void> {
  const { failureCode = 1, hint } = onFailure;
  surviveReader(failureCode);
  try {
    process.exitCode = await work();
  } catch (error) {
    const wrongUse = error instanceof UsageError;
    process.exitCode = wrongUse ? 2 : failureCode;
    const lines = wrongUse ? [describe(error)] : describeFailure(error);
    console.error([`✗ ${lines.join("\n")}`, ...(wrongUse || !hint ? [] : [hint])].join("\n"));
  } finally {
    // A database that is gone can't be said goodbye to.
    await closePool().catch(() => {});
  }
}

/** What failed and why, and where the log tells more; a stack where nothing else does. */
function describeFailure(error: unknown): string[] {
  const told = describeSystemFailure(error, { databaseUrl: process.env.DATABASE_URL }) ?? describe(error);
  log.error({ err: error }, "the command failed");
  const logged = whereLogged();
  const isSaid = told !== null;
  return [
    ...(isSaid ? [told] : [logged ? `It failed unexpectedly: ${(error as Error).message}` : stackOf(error)]),
    ...(logged ? [logged] : []),
  ];
}

const stackOf = (error: unknown) => (error instanceof Error ? (error.stack ?? error.message) : String(error));

/** One line where the error was made for users; null where it was not. */
function describe(error: unknown): string | null {
  if (!(error instanceof Error)) return String(error);
  const forUsers = [UsageError, ProgramError, DomainError].some((kind) => error instanceof kind);
  if (!forUsers) return null;
  const { message, code } = (error.cause ?? {}) as { message?: string; code?: string };
  // An attempt at several addresses of one name fails without a message.
  const cause = message || code;
  return cause ? `${error.message} (${cause})` : error.message;
}
