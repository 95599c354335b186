import { appendFileSync, mkdirSync } from "node:fs";
import path from "node:path";
import pino from "pino";
import { property } from "@/lib/platform/objects";
import { logFile, logLevel } from "./config";

/** Fields of an error that may be logged besides its message and stack. */
const SAFE_FIELDS = ["code", "constraint", "table", "routine"] as const;
/** PostgreSQL's data exceptions and constraint violations. Their messages quote values of the row. */
const QUOTES_VALUES = /^2[23][0-9A-Z]{3}$/;
/** Cuts long or circular chains of causes. */
const MAX_CAUSES = 5;

/** Serializes an error for the log. Drivers add the contents of rows (`detail`, `where`, parameters), so only safe fields are copied. */
export function serializeError(error: unknown, depth = 0): Record<string, unknown> {
  if (!(error instanceof Error)) return { type: typeof error };
  const kept: Record<string, unknown> = { type: error.constructor.name || error.name };
  for (const field of SAFE_FIELDS) {
    const value = property(error, field);
    if (typeof value === "string") kept[field] = value;
  }
  // Errors of JSON.parse and BigInt quote their input.
  if (QUOTES_VALUES.test(String(property(error, "code"))) || error instanceof SyntaxError) {
    kept.stack = stackFrames(error);
  } else {
    kept.message = error.message;
    kept.stack = error.stack;
  }
  if (error.cause instanceof Error && depth < MAX_CAUSES) kept.cause = serializeError(error.cause, depth + 1);
  return kept;
}

/** Returns the stack without the message, which may have several lines. */
function stackFrames({ message, stack = "" }: Error): string {
  const head = stack.indexOf(message);
  // Without the message, the stack may hold an earlier form of it, so nothing in it is safe.
  return head === -1 ? "" : stack.slice(head + message.length).trimStart();
}

/** Writes one JSON line per event. Log IDs and codes, but never names, dates of birth or bodies. */
export const log = pino(
  {
    level: logLevel(),
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: (error: unknown) => serializeError(error) },
  },
  destination(logFile()),
);

/** Creates the log file with its first line, so that a command without log lines leaves none. */
function destination(file: string | null): pino.DestinationStream {
  if (file === null) return pino.destination(1);
  return {
    write(line) {
      try {
        mkdirSync(path.dirname(file), { recursive: true });
        appendFileSync(file, line, { mode: 0o600 });
      } catch {
        // A full or read-only disk must not end the work that is being logged.
      }
    },
  };
}
