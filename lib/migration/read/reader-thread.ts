import type { MessagePort, TransferListItem } from "node:worker_threads";
import type { Columns } from "@/lib/migration/record/columns";
import { DomainError, OverloadedError } from "@/lib/platform/errors";
import { fileSource, type Source } from "@/lib/platform/files/source";
import { serializeError } from "@/lib/platform/serialize-error.mjs";
import { type StagedBatch, stageRecords } from "./stage-records";

// Messages between the reading thread and the process that started it.

/** The input of a reading thread. */
export interface ReaderTask {
  /** Path of a local file; null to request the bytes. */
  file: string | null;
  /** Bytes */
  size: number;
  columns: Columns | null;
  skip: number;
}

export type FromReader =
  | { kind: "batch"; batch: StagedBatch }
  /** Requests the next bytes of a stream. A new stream begins at `start`. */
  | { kind: "pull"; stream: number; start: number }
  /** Closes a stream. */
  | { kind: "leave"; stream: number }
  /** Reports progress while there is nothing to send. */
  | { kind: "reading" }
  | { kind: "done" }
  /**
   * The file as a whole can't be read. `rule` is set if the user can fix it, or if it is temporary. `system` has the details of a
   * system error, such as code and path, which errors lose between threads. `error` is what may be logged.
   */
  | {
      kind: "failed";
      rule: { reason: string; message: string; isTemporary: boolean } | null;
      system: Record<string, unknown> | null;
      error: Record<string, unknown>;
    };

export type ToReader =
  /** Requests one more batch. */
  | { kind: "more" }
  /** Null at the end of the stream. */
  | { kind: "bytes"; stream: number; bytes: Uint8Array | null };

/** Batches to read ahead. */
const AHEAD = 2;
/** How often the thread reports progress. After minutes of silence it counts as hung. */
const PROGRESS_MS = 5_000;

/** Reads an export in this thread, and sends its records in batches. */
export async function serveReader(port: MessagePort, { file, size, columns, skip }: ReaderTask): Promise<void> {
  const send = (message: FromReader, transfer: TransferListItem[] = []) => port.postMessage(message, transfer);
  const requests = new Requests(port);
  const onStep = atMostEvery(PROGRESS_MS, () => send({ kind: "reading" }));
  try {
    const source = file === null ? requests.source(size) : await fileSource(file);
    let ahead = 0;
    for await (const batch of stageRecords(source, { columns: columns ?? undefined, skip, onStep })) {
      if (++ahead > AHEAD) await requests.more();
      const { message, transfer } = toMessage(batch);
      send({ kind: "batch", batch: message }, transfer);
    }
    send({ kind: "done" });
  } catch (error) {
    const rule = error instanceof DomainError ? toRule(error) : null;
    send({ kind: "failed", rule, system: systemFailureOf(error), error: serializeError(error) });
  } finally {
    port.close();
  }
}

/** An image that takes too long to decode takes too long again. */
const LASTING = "image_too_slow";

function toRule(error: DomainError) {
  const { reason, message } = error;
  return { reason, message, isTemporary: error instanceof OverloadedError && reason !== LASTING };
}

function atMostEvery(ms: number, act: () => void): () => void {
  let last = Number.NEGATIVE_INFINITY;
  return () => {
    const now = performance.now();
    if (now - last < ms) return;
    last = now;
    act();
  };
}

/** Returns code, path and other details of the system error among the causes. */
function systemFailureOf(error: unknown): Record<string, unknown> | null {
  if (!(error instanceof Error)) return null;
  return "syscall" in error ? { ...error } : systemFailureOf(error.cause);
}

/** Transfers images without copying. Bytes that share their memory with others are copied first. */
function toMessage({ records, bytesRead }: StagedBatch): { message: StagedBatch; transfer: TransferListItem[] } {
  const transfer: TransferListItem[] = [];
  const owned = records.map((staged) => {
    if (!staged.record || staged.record.images.length === 0) return staged;
    const images = staged.record.images.map((image) => {
      const isOwn = image.bytes.byteLength === image.bytes.buffer.byteLength;
      const bytes = isOwn ? image.bytes : Uint8Array.from(image.bytes);
      transfer.push(bytes.buffer);
      return { ...image, bytes };
    });
    return { ...staged, record: { ...staged.record, images } };
  });
  return { message: { records: owned, bytesRead }, transfer };
}

/** Requests bytes from the process that started this thread, and waits until it wants more batches. */
class Requests {
  readonly #port: MessagePort;
  #streams = 0;
  #wanted = 0;
  #resume: (() => void) | null = null;
  readonly #waiting = new Map<number, (bytes: Uint8Array | null) => void>();

  constructor(port: MessagePort) {
    this.#port = port;
    port.on("message", (message: ToReader) => {
      if (message.kind === "bytes") this.#waiting.get(message.stream)?.(message.bytes);
      else {
        this.#wanted++;
        this.#resume?.();
      }
    });
  }

  async more(): Promise<void> {
    if (this.#wanted === 0)
      await new Promise<void>((resolve) => {
        this.#resume = resolve;
      });
    this.#resume = null;
    this.#wanted--;
  }

  source(size: number): Source {
    const ask = (message: FromReader) => this.#port.postMessage(message);
    const next = (stream: number, start: number) =>
      new Promise<Uint8Array | null>((resolve) => {
        this.#waiting.set(stream, resolve);
        ask({ kind: "pull", stream, start });
      });
    const open = () => this.#streams++;
    const waiting = this.#waiting;
    return {
      size,
      async *read(start = 0) {
        const stream = open();
        try {
          for (let bytes = await next(stream, start); bytes; bytes = await next(stream, start)) yield bytes;
        } finally {
          waiting.delete(stream);
          ask({ kind: "leave", stream });
        }
      },
    };
  }
}
