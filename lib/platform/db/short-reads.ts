import pg from "pg";
import { QueryGroup, runQuery, wasSkipped } from "./prepared-query";

/** More reads than this use a second connection. */
const MAX_SHARED = 8;
/** How long a read waits for reads that were sent before it to end. */
const MAX_WAIT_MS = 2;

interface Read {
  config: pg.QueryConfig;
  resolve: (result: pg.QueryResult) => void;
  reject: (error: unknown) => void;
}

/**
 * Runs short reads of many requests on few connections. All reads of one turn of the event loop are written to one socket at once and answered
 * in order, so they wake PostgreSQL once: waking it takes longer than anything else in a short request. While reads are running, later ones
 * wait until these end, for at most 2 ms, so that they share the next connection. A slow statement would hold up the others, so only reads
 * of a few rows by index belong here.
 */
export class ShortReads {
  readonly #pool: pg.Pool;
  #waiting: Read[] = [];
  /** How many connections are running reads. */
  #running = 0;
  #isDue = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  run(config: pg.QueryConfig): Promise<pg.QueryResult> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ config, resolve, reject });
      if (this.#running === 0 || this.#waiting.length >= MAX_SHARED) this.#sendSoon();
      else this.#timer ??= setTimeout(() => this.#sendSoon(), MAX_WAIT_MS);
    });
  }

  /** Sends the waiting reads at the end of this turn of the event loop. */
  #sendSoon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => this.#send());
  }

  #send(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isDue = false;
    const reads = this.#waiting;
    this.#waiting = [];
    for (let at = 0; at < reads.length; at += MAX_SHARED) void this.#share(reads.slice(at, at + MAX_SHARED));
  }

  async #share(reads: readonly Read[]): Promise<void> {
    this.#running++;
    try {
      await this.#runOn(await this.#pool.connect(), reads);
    } catch (error) {
      for (const { reject } of reads) reject(error);
    } finally {
      this.#running--;
      if (this.#waiting.length > 0) this.#sendSoon();
    }
  }

  async #runOn(client: pg.PoolClient, reads: readonly Read[]): Promise<void> {
    // Its queries report a lost connection. Without a listener, the error would end the process.
    client.on("error", ignore);
    const group = client instanceof pg.Client ? new QueryGroup(client) : undefined;
    const running = reads.map(({ config, resolve, reject }) =>
      runQuery(client, config, group)
        .catch((error) => {
          // A read that failed must not fail those of other requests.
          if (wasSkipped(error)) return runQuery(client, config);
          throw error;
        })
        .then(resolve, reject),
    );
    group?.end();
    await Promise.all(running);
    client.off("error", ignore);
    client.release();
  }
}

function ignore(): void {}
