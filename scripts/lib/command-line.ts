// Command lines: arguments, errors and exit codes.
import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { type ParseArgsConfig, parseArgs } from "node:util";
import { SettingsError } from "@/lib/platform/config";
import { DomainError, ValidationError } from "@/lib/platform/errors";
import { log } from "@/lib/platform/log";
import { hasProcessWide } from "@/lib/platform/objects";
import { describeSystemFailure } from "@/lib/platform/system-failure.mjs";
import { whereLogged } from "./log-file.mjs";
import { surviveReader } from "./output";

/** A wrong command line, setting or input. Nothing was started. Exit code 2. */
export class UsageError extends Error {
  /** Its message can quote files, so the log leaves it out. */
  readonly isForUsers = true;
}

/** An error of a correct command, with a message for the user. */
export class ProgramError extends Error {
  readonly isForUsers = true;
}

type Options = NonNullable<ParseArgsConfig["options"]>;

interface Form<O extends Options> {
  /** Shown with every error. */
  usage: string;
  options: O;
  /** The maximum number of arguments besides options. Default: 0. */
  words?: number;
}

type Parsed<O extends Options> = ReturnType<typeof parseArgs<{ options: O; allowPositionals: true }>>;

/** The values of these options. */
export type Values<O extends Options> = Parsed<O>["values"];

/** @throws UsageError if an option is unknown or lacks its value, or there are too many arguments */
export function readArguments<const O extends Options>(
  form: Form<O>,
  args = process.argv.slice(2),
): { values: Values<O>; words: string[] } {
  const { values, positionals: words } = parse(form, args);
  const surplus = words[form.words ?? 0];
  if (surplus !== undefined) throw new UsageError(`"${surplus}" is an unexpected argument. ${form.usage}`);
  return { values, words };
}

function parse<const O extends Options>({ options, usage }: Form<O>, args: string[]): Parsed<O> {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    // The first sentence says what is wrong. The others are about arguments that begin with a dash.
    const [problem = ""] = (error as Error).message.split(/\.?[\n ]+(?=[A-Z])/);
    throw new UsageError(`${problem.replace(/\.$/, "")}. ${usage}`);
  }
}

/**
 * Reads the arguments of a program with subcommands.
 *
 * @param form.commands the options and the number of arguments of each command
 * @throws UsageError like `readArguments`, or if the command is unknown
 */
export function readCommand<const O extends Options, C extends string>(form: {
  usage: string;
  options: O;
  commands: Record<C, { options?: readonly (keyof O)[]; words?: number }>;
}): { command: C; values: Values<O>; words: string[] } {
  const { usage, commands } = form;
  const [command = "", ...args] = process.argv.slice(2);
  if (!Object.hasOwn(commands, command)) {
    throw new UsageError(command === "" ? usage : `"${command}" is not a command. ${usage}`);
  }
  const { options: taken = [], words = 0 } = commands[command as C];
  const given = readArguments({ usage, options: form.options, words }, args);
  const foreign = Object.keys(given.values).find((name) => !taken.includes(name));
  if (foreign) throw new UsageError(`--${foreign} is not an option of ${command}. ${usage}`);
  return { command: command as C, ...given };
}

/** Reads an ID. `name` is its name in the usage. */
export function readId(text: string | undefined, name: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text ?? "")) throw new UsageError(`${name} must be an ID: a whole number`);
  return Number(text);
}

/**
 * Reports invalid input as wrong usage.
 *
 * @param names the options of the fields, such as `--practice`
 * @throws UsageError
 */
export async function namingOptions<T>(names: Readonly<Record<string, string>>, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    const problems = Object.entries(error.fields).map(
      ([field, messages]) => `${names[field]}: ${[messages].flat()[0]}`,
    );
    throw new UsageError(problems.join(" "));
  }
}

/** @throws UsageError if a file can't be read. Pipes and standard input (`-`) can. */
export async function requireReadable(option: string, file: string): Promise<void> {
  if (file === "-") return;
  try {
    const found = await stat(file);
    if (!found.isFile() && !found.isFIFO() && !found.isCharacterDevice()) throw new Error("it is not a file");
    await access(file, constants.R_OK);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === "ENOENT" ? "the file does not exist" : code === "EACCES" ? "permission denied" : message;
    throw new UsageError(`${option} ${file} can't be read: ${why}`);
  }
}

/**
 * Runs a program and ends with the exit code it returns: 2 for a UsageError, or `failureCode` for any other error.
 *
 * @param onFailure.hint shown after any other error
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
    await closeConnections();
  }
}

/** Closes the connections of a command that opened some. Others must not load the database client, which needs a build. */
async function closeConnections(): Promise<void> {
  if (!hasProcessWide("crosswalkPool")) return;
  const { closePool } = await import("@/lib/platform/db/pool");
  // Closing fails if the database is gone.
  await closePool().catch(() => {});
}

/** Describes an error, with the log file that has details, or the stack if nothing was logged. */
function describeFailure(error: unknown): string[] {
  const message = describeSystemFailure(error, { databaseUrl: process.env.DATABASE_URL }) ?? describe(error);
  log.error({ err: error }, "the command failed");
  const logged = whereLogged();
  return [
    ...(message !== null ? [message] : [logged ? `Unexpected error: ${(error as Error).message}` : stackOf(error)]),
    ...(logged ? [logged] : []),
  ];
}

const stackOf = (error: unknown) => (error instanceof Error ? (error.stack ?? error.message) : String(error));

/** Returns the message of an error that is meant for users, or null. */
function describe(error: unknown): string | null {
  if (!(error instanceof Error)) return String(error);
  const forUsers = [UsageError, ProgramError, DomainError, SettingsError].some((kind) => error instanceof kind);
  if (!forUsers) return null;
  const { message, code } = (error.cause ?? {}) as { message?: string; code?: string };
  // A failed connection to several addresses of a name does not have its own message.
  const cause = message || code;
  return cause ? `${error.message} (${cause})` : error.message;
}
