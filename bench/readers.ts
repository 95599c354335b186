// node readers.mjs SPEC: reads policies at a fixed rate in a separate process until standard input ends. SPEC is a ReaderSpec as JSON.
// Prints a ReaderResult as JSON.
import http from "node:http";
import type { Target } from "./seed-bench";

export interface ReaderSpec {
  url: string;
  token: string;
  targets: Target[];
  clients: number;
  /** Reads per second of each client. */
  perSecond: number;
}

export interface ReaderResult {
  requests: number;
  /** Milliseconds from when a read was due, so that a stall counts for every read it delays. */
  p50: number;
  p99: number;
  max: number;
  /** Responses other than 200 by status, and broken connections and timeouts by code. */
  failures: Record<string, number>;
}

const TIME_LIMIT_MS = 60_000;

const spec = JSON.parse(process.argv[2] ?? "{}") as ReaderSpec;
const agent = new http.Agent({ keepAlive: true, maxSockets: spec.clients });
const latencies: number[] = [];
const failures: Record<string, number> = {};
let stopping = false;
process.stdin.on("end", () => (stopping = true)).resume();

function read(): Promise<string> {
  const { patient, policy } = spec.targets[Math.floor(Math.random() * spec.targets.length)] as Target;
  const headers = { authorization: `Bearer ${spec.token}` };
  return new Promise((resolve) => {
    const path = `/api/2.0/patients/${patient}/policies/${policy}`;
    const request = http.get(new URL(path, spec.url), { agent, headers, timeout: TIME_LIMIT_MS }, (response) => {
      response.resume().on("end", () => resolve(String(response.statusCode)));
    });
    request.on("timeout", () => request.destroy(Object.assign(new Error(), { code: "timeout" })));
    request.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? "error"));
  });
}

async function runReader(client: number): Promise<void> {
  const pauseMs = 1000 / spec.perSecond;
  let due = performance.now() + (client / spec.clients) * pauseMs;
  while (!stopping) {
    const early = due - performance.now();
    if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
    const outcome = await read();
    latencies.push(performance.now() - due);
    if (outcome !== "200") failures[outcome] = (failures[outcome] ?? 0) + 1;
    due += pauseMs;
  }
}

await Promise.all(Array.from({ length: spec.clients }, (_, client) => runReader(client)));
agent.destroy();
latencies.sort((a, b) => a - b);
const at = (share: number) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0;
const result: ReaderResult = { requests: latencies.length, p50: at(0.5), p99: at(0.99), max: at(1), failures };
process.stdout.write(JSON.stringify(result));
