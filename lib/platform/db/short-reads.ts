import pg from "pg";
import { runQuery } from "./prepared-query";

/** More reads than this use a second connection. */
const MAX_SHARED = 8;

interface Read {
  config: pg.QueryConfig;
  resolve: (result: pg.QueryResult) => void;
  reject: (error: unknown) => void;
}

/**
 * Runs short reads of many requests on few connections. All reads of one turn of the event loop are written to one socket at once and answered
 * in order, so they wake PostgreSQL once: waking it takes longer than anything else in a short request. A slow statement would hold up the
 * others, so only reads of a few rows by index belong here.
 */
export class ShortReads {
  readonly #pool: pg.Pool;
  #waiting: Read[] = [];

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  run(config: pg.QueryConfig): Promise<pg.QueryResult> {
    return new Promise((resolve, reject) => {
      // After all requests that have arrived in this turn.
      if (this.#waiting.length === 0) setImmediate(() => this.#send());
      this.#waiting.push({ config, resolve, reject });
    });
  }

  #send(): void {
    const reads = this.#waiting;
    this.#waiting = [];
    for (let at = 0; at < reads.length; at += MAX_SHARED) void this.#share(reads.slice(at, at + MAX_SHARED));
  }

  async #share(reads: readonly Read[]): Promise<void> {
    let client: pg.PoolClient;
    try {
      client = await this.#pool.connect();
    } catch (error) {
      for (const { reject } of reads) reject(error);
      return;
    }
    // Its queries report a lost connection. Without a listener, the error would end the process.
    client.on("error", ignore);
    const stream = client instanceof pg.Client ? client.connection.stream : null;
    stream?.cork();
    const running = reads.map(({ config, resolve, reject }) => runQuery(client, config).then(resolve, reject));
    stream?.uncork();
    await Promise.all(running);
    client.off("error", ignore);
    client.release();
  }
}

function ignore(): void {}
