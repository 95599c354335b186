// The webhook receiver in a separate process, and what tests can ask it.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";

/** A request as it arrived. Times are milliseconds since 1970; `ended` is null while it is in progress. */
export interface ReceivedWebhook {
  id: string;
  attempt: number;
  port: number;
  path: string;
  headers: Record<string, string>;
  body: string;
  started: number;
  ended: number | null;
}

/** The receiver's response to a request: `ok`, a status, or one that never ends normally. `held` waits for `release`. */
export type Behaviour = "ok" | "silent" | "reset" | "drip" | "redirect" | "held" | `${number}`;

export interface ReceiverStats {
  requests: number;
  /** From the first request to the last response. */
  spanMs: number;
  /** The most requests at once, by port. */
  mostUnderWay: Record<string, number>;
  peakRssMiB: number;
}

export class ReceiverProcess {
  readonly #child: ChildProcess;
  readonly #control: string;
  /** `http://127.0.0.1:…`, each on a different port. */
  readonly origins: readonly string[];

  private constructor(child: ChildProcess, ports: { control: number; targets: number[] }) {
    this.#child = child;
    this.#control = `http://127.0.0.1:${ports.control}`;
    this.origins = ports.targets.map((port) => `http://127.0.0.1:${port}`);
  }

  static async start(targets = 1): Promise<ReceiverProcess> {
    const file = path.join(import.meta.dirname, "webhook-receiver.mjs");
    const child = spawn(process.execPath, [file, String(targets)], { stdio: ["pipe", "pipe", "inherit"] });
    const [line] = await once(createInterface(child.stdout), "line");
    return new ReceiverProcess(child, JSON.parse(line));
  }

  async stop(): Promise<void> {
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await ended;
  }

  /** Lists the requests that arrived, in order, optionally only those at one path. */
  requests(at?: string): Promise<ReceivedWebhook[]> {
    return this.#ask("requests", { path: at });
  }

  /** Lists the event_uuid, attempt number and port of all arrived requests, in order. */
  arrivals(): Promise<[id: string, attempt: number, port: number][]> {
    return this.#ask("arrivals");
  }

  stats(): Promise<ReceiverStats> {
    return this.#ask("stats");
  }

  /** Sets the responses to the next requests at this path, optionally of one record, in turn; later requests get 200. */
  expect(at: string, behaviours: Behaviour[], resourceId: number | null = null): Promise<void> {
    return this.#ask("rule", { path: at, behaviours, resourceId });
  }

  /** Responds to the held requests. */
  release(status = 200): Promise<void> {
    return this.#ask("release", { status });
  }

  /** Forgets requests and planned responses; from now on requests succeed after `delayMs`. */
  reset(settings: { delayMs?: number } = {}): Promise<void> {
    return this.#ask("reset", settings);
  }

  async #ask<T>(question: string, body: object = {}): Promise<T> {
    const response = await fetch(`${this.#control}/${question}`, { method: "POST", body: JSON.stringify(body) });
    return (await response.json()) as T;
  }
}
