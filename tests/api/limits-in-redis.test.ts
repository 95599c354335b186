// Rate limits that servers share in Redis, and what happens when it fails.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { build } from "@/scripts/lib/build-steps.mjs";
import { freePort } from "@/scripts/lib/free-port.mjs";
import { type Basics, seedBasics } from "../support/api";
import { findRedis, startRedis } from "../support/redis.mjs";
import { type RunningServer, startServer } from "../support/servers";
import { newClient } from "../support/webhook-clients";

/** Requests per second. */
const LIMIT = 20;
const SECRETS = 4;

describe.skipIf(!findRedis())("two servers with one Redis", () => {
  let basics: Basics;
  let port: number;
  let redis: Awaited<ReturnType<typeof startRedis>>;
  let servers: RunningServer[] = [];

  beforeAll(async () => {
    await build();
    basics = await seedBasics();
    port = await freePort();
    redis = await startRedis(port);
    const settings = {
      REDIS_URL: `redis://127.0.0.1:${port}`,
      RATE_LIMIT_PER_SECOND: String(LIMIT),
      WRONG_SECRET_LIMIT: String(SECRETS),
      LOG_LEVEL: "info",
    };
    servers = await Promise.all([startServer("production", settings), startServer("production", settings)]);
  });
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.stop()));
    await redis?.stop();
  });
  afterEach(() => redis.resume());

  /** Sends this many requests to the servers in turns, within a second if the machine can. Returns the statuses of each server. */
  async function send(count: number, token: string): Promise<number[][]> {
    const headers = { authorization: `Bearer ${token}` };
    const statuses: number[][] = servers.map(() => []);
    await Promise.all(
      Array.from({ length: count }, async (_, at) => {
        const response = await fetch(`${servers[at % 2]?.url}/api/2.0/practices`, { headers });
        await response.arrayBuffer();
        statuses[at % 2]?.push(response.status);
      }),
    );
    return statuses;
  }

  const allowed = (statuses: number[][]) => statuses.flat().filter((status) => status === 200).length;

  /** Waits for the start of a new second of the limit. */
  const rest = () => new Promise((resolve) => setTimeout(resolve, 1_500));

  /** Requires that both servers together allow no more than the limit. */
  async function expectSharedLimit(token: string): Promise<void> {
    const exceeds = async () => {
      await rest();
      const started = performance.now();
      const statuses = await send(4 * LIMIT, token);
      const seconds = Math.ceil((performance.now() - started) / 1_000);
      expect(new Set(statuses.flat())).toEqual(new Set([200, 429]));
      expect(allowed(statuses)).toBeGreaterThanOrEqual(LIMIT);
      return allowed(statuses) > LIMIT * seconds;
    };
    // On a busy machine, Redis can respond too late, and a server then counts a request for itself.
    await expect.poll(exceeds, { timeout: 30_000, interval: 100 }).toBe(false);
  }

  test("count the requests of a client together", async () => {
    const { token } = await newClient(basics);
    await send(2, token);
    await expectSharedLimit(token);
  });

  test("count wrong secrets of a client together", async () => {
    const { clientId } = await newClient(basics);
    const attempt = async (server: RunningServer | undefined) => {
      const body = new URLSearchParams({
        grant_type: "client_credentials",
        client_id: clientId,
        client_secret: "wrong",
      });
      const response = await fetch(`${server?.url}/api/2.0/oauth2/token`, { method: "POST", body });
      return { status: response.status, retryAfter: response.headers.get("retry-after") };
    };
    for (let at = 0; at < SECRETS; at++) expect((await attempt(servers[at % 2])).status).toBe(401);
    for (const server of servers) {
      const { status, retryAfter } = await attempt(server);
      expect(status).toBe(429);
      expect(Number(retryAfter)).toBeGreaterThan(1);
    }
  });

  test("count for themselves while Redis hangs, without holding up requests", async () => {
    const { token } = await newClient(basics);
    await send(2, token);
    await rest();
    redis.pause();
    const statuses = await send(6 * LIMIT, token);
    expect(new Set(statuses.flat())).toEqual(new Set([200, 429]));
    for (const own of statuses) expect(allowed([own])).toBeGreaterThanOrEqual(LIMIT);
  });

  test("count for themselves while Redis is down, and together once it is back", async () => {
    const { token } = await newClient(basics);
    await send(2, token);
    await redis.stop();
    await rest();
    const statuses = await send(6 * LIMIT, token);
    for (const own of statuses) expect(allowed([own])).toBeGreaterThanOrEqual(LIMIT);
    redis = await startRedis(port);
    await expectSharedLimit(token);
    for (const server of servers) {
      expect(server.output()).toContain("Redis does not respond");
      expect(server.output()).toContain("Redis responds again");
    }
  });
});
