import { config } from "@/lib/config";
import { DomainError, OverloadedError } from "@/lib/errors";
import { type Decoded, type DecodeRequest, DecoderProcess } from "./decoder-process";

/** Who waits for an image. Those of one caller take turns with those of the others. */
export interface Requester {
  caller: string;
  /** Aborts when the client has left. */
  signal: () => AbortSignal;
}

/** Images that may wait, in all and of one caller. */
const MOST_WAITING = 64;
const MOST_OF_CALLER = 32;
const MOST_WAITING_BYTES = 64 * 1024 * 1024;
const WAIT_LIMIT_MS = 20_000;
const IDLE_MS = 15_000;
const RETRY_SECONDS = 3;

interface Job {
  request: DecodeRequest;
  /** null: our own programs, which wait as long as it takes. */
  requester: Requester | null;
  start: (decoder: DecoderProcess) => void;
}

/**
 * Decodes images in processes of their own, `IMAGE_DECODERS` at once. Decoding in this process would take libuv's threads, on
 * which password hashes, files and name look-ups wait, and its memory.
 */
class DecodeQueue {
  /** By caller, in the order of their turns. */
  readonly #waiting = new Map<string, Job[]>();
  readonly #idle: DecoderProcess[] = [];
  #running = 0;
  #idleTimer: NodeJS.Timeout | undefined;

  /** Images that are being decoded or wait for it. */
  get pending(): number {
    return this.#running + [...this.#waiting.values()].flat().length;
  }

  /**
   * Decodes an image when it is its turn.
   *
   * @throws OverloadedError image_queue_full where too many wait already, or its turn did not come in time
   * @throws DomainError client_left where the client left before its turn
   */
  async decode(request: DecodeRequest, requester: Requester | null): Promise<Decoded> {
    const decoder = await this.#turn(request, requester);
    try {
      return await decoder.decode(request);
    } finally {
      this.#release(decoder);
    }
  }

  #turn(request: DecodeRequest, requester: Requester | null): Promise<DecoderProcess> {
    if (this.#running < config().IMAGE_DECODERS) return Promise.resolve(this.#take());
    if (requester) this.#requireRoom(request, requester);
    return new Promise((resolve, reject) => {
      const signal = requester?.signal();
      const leave = (error: DomainError) => {
        this.#remove(job);
        settle();
        reject(error);
      };
      const onAbort = () => leave(clientLeft());
      const limit = requester ? setTimeout(() => leave(tooBusy()), WAIT_LIMIT_MS) : undefined;
      const settle = () => {
        clearTimeout(limit);
        signal?.removeEventListener("abort", onAbort);
      };
      const start = (decoder: DecoderProcess) => {
        settle();
        resolve(decoder);
      };
      const job: Job = { request, requester, start };
      if (signal?.aborted) return reject(clientLeft());
      signal?.addEventListener("abort", onAbort);
      const key = keyOf(job);
      this.#waiting.set(key, [...(this.#waiting.get(key) ?? []), job]);
    });
  }

  #requireRoom({ bytes }: DecodeRequest, { caller }: Requester): void {
    const waiting = [...this.#waiting.values()].flat().filter(({ requester }) => requester !== null);
    const waitingBytes = waiting.reduce((sum, { request }) => sum + request.bytes.byteLength, bytes.byteLength);
    const own = waiting.filter(({ requester }) => requester?.caller === caller).length;
    if (waiting.length >= MOST_WAITING || own >= MOST_OF_CALLER || waitingBytes > MOST_WAITING_BYTES) throw tooBusy();
  }

  #take(): DecoderProcess {
    this.#running += 1;
    clearTimeout(this.#idleTimer);
    const idle = this.#idle.pop();
    return idle && !idle.ended ? idle : new DecoderProcess();
  }

  #release(decoder: DecoderProcess): void {
    this.#running -= 1;
    if (!decoder.ended) this.#idle.push(decoder);
    const next = this.#next();
    if (next) next.start(this.#take());
    else this.#endIdleLater();
  }

  /** The first of the caller whose turn it is, who then waits behind the others. */
  #next(): Job | null {
    const [turn] = this.#waiting;
    if (!turn) return null;
    const [key, [job, ...rest]] = turn as [string, [Job, ...Job[]]];
    this.#waiting.delete(key);
    if (rest.length > 0) this.#waiting.set(key, rest);
    return job;
  }

  #remove(job: Job): void {
    const key = keyOf(job);
    const left = (this.#waiting.get(key) ?? []).filter((other) => other !== job);
    if (left.length > 0) this.#waiting.set(key, left);
    else this.#waiting.delete(key);
  }

  /** A decoder keeps the memory of the largest image it decoded. */
  #endIdleLater(): void {
    if (this.#running > 0) return;
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => {
      for (const decoder of this.#idle.splice(0)) decoder.stop();
    }, IDLE_MS).unref();
  }
}

const keyOf = ({ requester }: Job) => requester?.caller ?? "";

const clientLeft = () => new DomainError("client_left", "The client left before its image was decoded.");

const tooBusy = () =>
  new OverloadedError(undefined, "Too many images are waiting to be decoded. Nothing was changed. Try again shortly.", {
    reason: "image_queue_full",
    retryAfterSeconds: RETRY_SECONDS,
  });

// Next bundles route modules apart from the server: the limit is the process's.
const shared = globalThis as { crosswalkDecodeQueue?: DecodeQueue };

/** The process's decoders. */
export function decodeQueue(): DecodeQueue {
  shared.crosswalkDecodeQueue ??= new DecodeQueue();
  return shared.crosswalkDecodeQueue;
}
