// node load.mjs SPEC: sends the requests of a load in a separate process, so that its CPU time does not count for the server. SPEC is a
// LoadSpec as JSON. Prints a LoadResult as JSON.
import fs from "node:fs";
import autocannon from "autocannon";
import { buildBoundRequest, buildRequest, type Job } from "./jobs";
import type { BenchData } from "./seed-bench";
import type { ServerName } from "./servers";

export interface LoadSpec {
  server: ServerName;
  url: string;
  job: Job;
  connections: number;
  /** How long or how much to send. */
  until: { seconds: number } | { requests: number };
  /** A JSON file with the BenchData. */
  dataFile: string;
  imageFile: string;
  /** The number of policies to use, for a run on few patients. */
  targets?: number;
}

/** The files that all loads of a server share. */
export type LoadFiles = Pick<LoadSpec, "dataFile" | "imageFile">;

export interface LoadResult {
  requests: number;
  perSecond: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  max: number;
  /** Responses other than 2xx, by status. */
  failures: Record<string, number>;
  /** Broken connections. */
  errors: number;
  /** Responses that exceeded the time limit. */
  timeouts: number;
}

const TIME_LIMIT_SECONDS = 10;

async function load(spec: LoadSpec): Promise<LoadResult> {
  const data = JSON.parse(fs.readFileSync(spec.dataFile, "utf8")) as BenchData;
  const image = fs.readFileSync(spec.imageFile);
  const targets = data.targets.slice(0, spec.targets);
  const next = () =>
    spec.server === "bound" ? buildBoundRequest(spec.job, data, targets) : buildRequest(spec.job, data, targets, image);
  const latencies: number[] = [];
  const failures: Record<string, number> = {};
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const options: autocannon.Options = {
      url: spec.url,
      connections: spec.connections,
      ...("seconds" in spec.until ? { duration: spec.until.seconds } : { amount: spec.until.requests }),
      timeout: TIME_LIMIT_SECONDS,
      requests: [
        {
          setupRequest: (defaults) => {
            const { method, path, headers, body } = next();
            return { ...defaults, method, path, headers: { ...headers }, ...(body === undefined ? {} : { body }) };
          },
        },
      ],
    };
    const running = autocannon(options, (error, done) => (error ? reject(error) : resolve(done)));
    running.on("response", (_client, status, _bytes, ms) => {
      latencies.push(ms);
      if (status < 200 || status > 299) failures[status] = (failures[status] ?? 0) + 1;
    });
  });
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0;
  return {
    requests: latencies.length,
    perSecond: latencies.length / result.duration,
    p50: at(0.5),
    p99: at(0.99),
    max: at(1),
    failures,
    errors: result.errors - result.timeouts,
    timeouts: result.timeouts,
  };
}

process.stdout.write(JSON.stringify(await load(JSON.parse(process.argv[2] ?? "{}") as LoadSpec)));
