import { appendFileSync, mkdirSync, writeSync } from "node:fs";
import path from "node:path";
import { isMainThread } from "node:worker_threads";
import { trace } from "@opentelemetry/api";
import pino from "pino";
import { logFile, logLevel } from "./config";
import { serializeError } from "./serialize-error.mjs";

/** Lines are written together, because each write costs as much as a tenth of a short request. */
const WRITE_BYTES = 12 * 1024;
/** Longest time that a line waits for others. */
const MAX_WAIT_MS = 100;
/** Lines that wait if nobody reads the output. Further lines are dropped and counted. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;
const WARN = 40;
/** Makes pino tell a destination about each line. */
const METADATA = Symbol.for("pino.metadata");

/** Writes one JSON line per event. Log IDs and codes, but never names, dates of birth or bodies. */
export const log = pino(
  {
    level: logLevel(),
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: (error: unknown) => serializeError(error) },
    mixin: traceIds,
  },
  destination(logFile()),
);

/** Returns the IDs of the current span, under the names that OpenTelemetry defines for logs. */
function traceIds(): { trace_id?: string; span_id?: string } {
  const span = trace.getActiveSpan()?.spanContext();
  return span ? { trace_id: span.traceId, span_id: span.spanId } : {};
}

/**
 * Returns the IDs of the request that caused a job, for its log lines. Those outside of the job's span, or without tracing, have no others.
 *
 * @param origin as it was stored with the work
 */
export function originIds(origin: { requestId?: string | null; traceparent?: string | null }): {
  request?: string;
  trace_id?: string;
} {
  const { requestId: request, traceparent } = origin;
  const trace_id = traceparent?.split("-")[1];
  return { ...(request && { request }), ...(trace_id && { trace_id }) };
}

function destination(file: string | null): pino.DestinationStream {
  return file === null ? bufferedOutput() : lazyFile(file);
}

/** What pino tells a destination about a line before it writes the line. */
interface LineMetadata {
  lastLevel?: number;
}

/**
 * Writes to standard output without blocking. Lines wait for up to 100 ms, except warnings and errors, so that a kill -9 loses at most
 * the last requests. pino writes the rest when the process exits, also after an uncaught exception. Other threads write each line at
 * once, because they end without such an event.
 */
function bufferedOutput(): pino.DestinationStream {
  if (!isMainThread) return pino.destination(1);
  const output = pino.destination({
    dest: 1,
    sync: false,
    minLength: WRITE_BYTES,
    maxLength: MAX_WAITING_BYTES,
  });
  let timer: NodeJS.Timeout | undefined;
  let dropped = 0;
  /** A warning may still wait, because it was logged during a write. */
  let isUrgent = false;
  let isEnded = false;
  output.on("close", () => {
    isEnded = true;
  });
  output.on("drop", () => dropped++);
  output.on("drain", () => {
    if (isUrgent) {
      isUrgent = false;
      flush();
    }
    if (dropped === 0) return;
    const lines = dropped;
    dropped = 0;
    log.warn({ lines }, "log lines were dropped, because the output was blocked");
  });
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    output.flush();
  };
  const stream: pino.DestinationStream & LineMetadata = {
    write(line) {
      if (isEnded) {
        writeSync(1, line);
        return;
      }
      output.write(line);
      if ((stream.lastLevel ?? 0) >= WARN) {
        isUrgent = true;
        flush();
      } else timer ??= setTimeout(flush, MAX_WAIT_MS).unref();
    },
  };
  return Object.assign(stream, { [METADATA]: true });
}

/** Creates the log file with its first line, so that a command without log lines leaves none. */
function lazyFile(file: string): pino.DestinationStream {
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
