import { appendFileSync, mkdirSync } from "node:fs";
import path from "node:path";
import pino from "pino";
import { property } from "@/lib/platform/objects";
import { logFile, logLevel } from "./config";

/** What of an error may be logged besides its message and stack. */
const SAFE_FIELDS = ["code", "constraint", "table", "routine"] as const;
/** PostgreSQL's data exceptions and constraint violations: their messages quote values of the row. */
const QUOTES_VALUES = /^2[23][0-9A-Z]{3}$/;
/** A chain of causes longer than this, or one that bites its tail, is cut. */
const MOST_CAUSES = 5;

/**
 * What the log keeps of an error. Drivers hang the contents of rows on theirs (`detail`, `where`, parameters): only
 * fields that are known to carry none are copied.
 */
export function serializeError(error: unknown, depth = 0): Record<string, unknown> {
  if (!(error instanceof Error)) return { type: typeof error };
  const kept: Record<string, unknown> = { type: error.constructor.name || error.name };
  for (const field of SAFE_FIELDS) {
    const value = property(error, field);
    if (typeof value === "string") kept[field] = value;
  }
  // What JSON.parse and BigInt throw quotes what they could not read.
  if (QUOTES_VALUES.test(String(property(error, "code"))) || error instanceof SyntaxError) {
    kept.stack = framesOf(error);
  } else {
    kept.message = error.message;
    kept.stack = error.stack;
  }
  if (error.cause instanceof Error && depth < MOST_CAUSES) kept.cause = serializeError(error.cause, depth + 1);
  return kept;
}

/** The stack without its head, which repeats the message on as many lines as that has. */
function framesOf({ message, stack = "" }: Error): string {
  const head = stack.indexOf(message);
  // A stack that does not hold the message may hold an earlier form of it: nothing of it is safe.
  return head === -1 ? "" : stack.slice(head + message.length).trimStart();
}

/** One JSON line an event on stdout. Names, dates of birth and bodies never go into it: ids and codes do. */
export const log = pino(
  {
    level: logLevel(),
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: (error: unknown) => serializeError(error) },
  },
  destination(logFile()),
);

/** Where lines go. A file is made by its first line: a command with nothing to tell leaves none. */
function destination(file: string | null): pino.DestinationStream {
  if (file === null) return pino.destination(1);
  return {
    write(line) {
      try {
        mkdirSync(path.dirname(file), { recursive: true });
        appendFileSync(file, line, { mode: 0o600 });
      } catch {
        // What a full or foreign disk keeps from being logged must not end what is being done.
      }
    },
  };
}
