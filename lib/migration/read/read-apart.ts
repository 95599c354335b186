import { Worker } from "node:worker_threads";
import { BusinessRuleError, OverloadedError } from "@/lib/platform/errors";
import type { Source } from "@/lib/platform/files/source";
import { workerProgram } from "@/lib/platform/jobs/program-file";
import { RemoteError } from "@/lib/platform/serialize-error.mjs";
import type { FromReader, ReaderTask, ToReader } from "./reader-thread";
import type { StagedBatch, StagingOptions } from "./stage-records";

/** Memory of a reading thread. The limits of the readers keep it well below this. */
const HEAP_MIB = 768;
/** A reader that is silent for this long has hung, because it reports progress every few seconds. */
const SILENCE_MS = 180_000;

/**
 * Reads an export in a separate thread, so that no file can block the process (ADR 0140).
 *
 * @param options.signal stops reading without an error
 * @param options.silenceMs how long the thread can go without a message before it counts as hung
 * @throws BusinessRuleError if the file as a whole can't be read
 * @throws OverloadedError if it can't be read at the moment, such as without an image decoder
 * @throws the errors of the source
 */
export async function* readApart(
  source: Source,
  {
    columns,
    skip,
    signal,
    silenceMs = SILENCE_MS,
  }: StagingOptions & { signal?: AbortSignal | undefined; silenceMs?: number },
): AsyncGenerator<StagedBatch> {
  const [program, options] = workerProgram("read-export");
  const task: ReaderTask = { file: source.file ?? null, size: source.size, columns: columns ?? null, skip };
  const worker = new Worker(program, {
    ...options,
    workerData: task,
    name: "export reader",
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB, maxYoungGenerationSizeMb: 64 },
  });
  const inbox = new Inbox(worker, source, silenceMs);
  const stop = () => inbox.stop();
  signal?.addEventListener("abort", stop);
  try {
    for (let message = await inbox.next(); message.kind !== "done"; message = await inbox.next()) {
      yield message.batch;
      worker.postMessage({ kind: "more" } satisfies ToReader);
    }
  } finally {
    signal?.removeEventListener("abort", stop);
    await worker.terminate();
    inbox.close();
  }
}

type Failure = Extract<FromReader, { kind: "failed" }>;
type Rule = NonNullable<Failure["rule"]>;
type Result = Extract<FromReader, { kind: "batch" | "done" }>;

/** Receives the messages of a reading thread and handles its requests. */
class Inbox {
  readonly #streams: Streams;
  readonly #silenceMs: number;
  readonly #results: Result[] = [];
  #failure: { error: unknown } | null = null;
  #wake: (() => void) | null = null;
  #heard = performance.now();

  constructor(worker: Worker, source: Source, silenceMs: number) {
    this.#silenceMs = silenceMs;
    this.#streams = new Streams(worker, source, (error) => this.#fail(error));
    worker.on("message", (message: FromReader) => {
      this.#heard = performance.now();
      if (message.kind === "pull") void this.#streams.sendChunk(message);
      else if (message.kind === "leave") void this.#streams.leave(message.stream);
      else if (message.kind === "failed") this.#fail(toError(message));
      else if (message.kind !== "reading") {
        this.#results.push(message);
        this.#wake?.();
      }
    });
    worker.on("error", (error) => this.#fail(toReadingError(error)));
    worker.on("exit", () => this.#fail(new Error("the reading thread ended before the file did")));
  }

  async next(): Promise<Result> {
    for (;;) {
      const result = this.#results.shift();
      if (result) return result;
      if (this.#failure) throw this.#failure.error;
      await this.#wait();
    }
  }

  /** Ends reading as if the file ended here. */
  stop(): void {
    this.#results.unshift({ kind: "done" });
    this.#wake?.();
  }

  close(): void {
    this.#streams.close();
  }

  async #wait(): Promise<void> {
    const left = Math.max(0, this.#heard + this.#silenceMs - performance.now());
    const timer = setTimeout(() => {
      if (performance.now() - this.#heard < this.#silenceMs) this.#wake?.();
      else this.#fail(stalled());
    }, left + 1);
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#wake = null;
    clearTimeout(timer);
  }

  /** Keeps the first failure, because later ones follow from it. */
  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.#wake?.();
  }
}

/** The streams of a source that a reading thread has open. */
class Streams {
  readonly #worker: Worker;
  readonly #source: Source;
  readonly #onError: (error: unknown) => void;
  readonly #open = new Map<number, AsyncIterator<Uint8Array>>();

  constructor(worker: Worker, source: Source, onError: (error: unknown) => void) {
    this.#worker = worker;
    this.#source = source;
    this.#onError = onError;
  }

  async sendChunk({ stream, start }: { stream: number; start: number }): Promise<void> {
    try {
      const opened = this.#open.get(stream) ?? this.#source.read(start)[Symbol.asyncIterator]();
      this.#open.set(stream, opened);
      const { value, done } = await opened.next();
      // Copy, because the source may reuse the memory.
      const bytes = done ? null : Uint8Array.from(value);
      const message = { kind: "bytes", stream, bytes } satisfies ToReader;
      this.#worker.postMessage(message, bytes ? [bytes.buffer] : []);
    } catch (error) {
      this.#onError(error);
    }
  }

  async leave(stream: number): Promise<void> {
    const opened = this.#open.get(stream);
    this.#open.delete(stream);
    await opened?.return?.().catch(() => {});
  }

  close(): void {
    for (const stream of this.#open.keys()) void this.leave(stream);
  }
}

function toError({ rule, system, error: serialized }: Failure): Error {
  const cause = Object.assign(new RemoteError(serialized), system);
  const error = rule ? toDomainError(rule, cause) : new Error("the export could not be read", { cause });
  if (system) error.cause = cause;
  return error;
}

/** The reason of an error: an image decoder ended, which can be temporary. */
export const NOT_DECODED = "image_not_decoded";

function toDomainError({ reason, message, isTemporary }: Rule, cause: Error): Error {
  if (!isTemporary) return new BusinessRuleError(reason, message);
  const waiting = "A card image could not be decoded. Crosswalk tries again automatically.";
  return new OverloadedError(cause, waiting, { reason: NOT_DECODED });
}

function toReadingError(error: Error & { code?: string }): Error {
  if (error.code !== "ERR_WORKER_OUT_OF_MEMORY") return error;
  return new BusinessRuleError(
    "file_too_complex",
    `Reading the file takes more than ${HEAP_MIB} MiB of memory. Split it into smaller files.`,
  );
}

const stalled = () =>
  new BusinessRuleError(
    "reading_stalled",
    `Reading the file made no progress for ${SILENCE_MS / 60_000} minutes. Check the file, or split it into smaller ones.`,
  );
