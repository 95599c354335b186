// What the servers and workers of a cluster report about themselves at their own ports: metrics, and the time of their clocks.

/** The servers. */
const SERVERS = ["web-1", "web-2"] as const;
const TIMEOUT_MS = 5_000;

/** Port numbers by the name of a server or worker. */
export type MetricsPorts = ReadonlyMap<string, number>;

async function request(ports: MetricsPorts, name: string, path: string): Promise<Response> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await fetch(`http://127.0.0.1:${ports.get(name)}${path}`, { signal });
  if (!response.ok) throw new Error(`${path} of ${name}: HTTP ${response.status}`);
  return response;
}

/** Returns how many milliseconds the clock of a program is ahead of this machine's, to the second: each response has its time. */
export async function readClockOffset(ports: MetricsPorts, name: string): Promise<number> {
  const { headers } = await request(ports, name, "/healthz");
  return Date.parse(headers.get("date") ?? "") - Date.now();
}

/** Counts the reads that standbys served, in all processes of the servers so far. */
export class StandbyReads {
  readonly #ports: MetricsPorts;
  readonly #pidOf: (name: string) => number | undefined;
  /** The last known counts, by process: a new process counts from 0. */
  readonly #counts = new Map<string, number>();

  constructor(ports: MetricsPorts, pidOf: (name: string) => number | undefined) {
    this.#ports = ports;
    this.#pidOf = pidOf;
  }

  /** Returns the number so far, without those of a server since it last responded. */
  async count(): Promise<number> {
    await Promise.all(SERVERS.map((name) => this.#update(name)));
    return [...this.#counts.values()].reduce((total, count) => total + count, 0);
  }

  async #update(name: string): Promise<void> {
    const key = `${name} ${this.#pidOf(name)}`;
    const text = await readMetrics(this.#ports, name).catch(() => "");
    const count = countReads(text).get("replica") ?? 0;
    this.#counts.set(key, Math.max(count, this.#counts.get(key) ?? 0));
  }

  /** Describes why the primary served the other reads, for an error. */
  async describe(): Promise<string> {
    const texts = SERVERS.map(async (name) => {
      const counts = countReads(await readMetrics(this.#ports, name).catch(() => ""));
      return `${name}: ${[...counts].map(([outcome, count]) => `${outcome} ${count}`).join(", ") || "nothing"}`;
    });
    return (await Promise.all(texts)).join("; ");
  }
}

const readMetrics = async (ports: MetricsPorts, name: string) => (await request(ports, name, "/metrics")).text();

/** Returns how many reads a standby may serve went to one, and how many to the primary by reason. */
export function countReads(metrics: string): Map<string, number> {
  const found = metrics.matchAll(/^crosswalk_replica_reads_total\{outcome="(\w+)"\} (\d+)$/gm);
  return new Map([...found].map(([, outcome = "", count]) => [outcome, Number(count)] as const));
}
