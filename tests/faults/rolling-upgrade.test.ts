// Two servers behind HAProxy with deploy/haproxy/haproxy.cfg, and one worker: what clients see while the servers are upgraded one after the other,
// and what the proxy keeps from them.
import { once } from "node:events";
import http from "node:http";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { db, sql } from "@/lib/platform/db/sql";
import { build } from "@/scripts/lib/build-steps.mjs";
import { freePort } from "@/scripts/lib/free-port.mjs";
import { deploy } from "@/scripts/lib/migrations.mjs";
import { type Basics, MARIA, seedBasics, seedPatient } from "../support/api";
import { findHaproxy, startHaproxy } from "../support/haproxy.mjs";
import { bundleNextVersion, nextMigrations } from "../support/next-version";
import { ownerUrl } from "../support/owner";
import { type RunningServer, startServer } from "../support/servers";
import { expectStoresAgree } from "../support/stores";
import { WorkerProcess } from "../support/worker-process";

const BODY_LIMIT = 1024 * 1024;
const CLIENTS = 6;

const SETTINGS = {
  TRUST_PROXY: "true",
  STREAM_CONSUMER: "worker",
  STOP_DELAY_MS: "5000",
  MAX_BODY_BYTES: String(BODY_LIMIT),
};
const start = () => startServer("production", SETTINGS);

describe.skipIf(!findHaproxy())("two servers behind HAProxy", () => {
  let basics: Basics;
  let patients: number[];
  let servers: RunningServer[];
  let worker: WorkerProcess;
  let proxy: Awaited<ReturnType<typeof startHaproxy>>;

  beforeAll(async () => {
    await build();
    basics = await seedBasics();
    patients = await Promise.all(
      Array.from({ length: CLIENTS }, () => seedPatient(basics.enabled, basics.physicians.enabled)),
    );
    servers = await Promise.all([start(), start()]);
    worker = await WorkerProcess.start({ STREAM_CONSUMER: "worker" });
    proxy = await startHaproxy({ port: await freePort(), servers: servers.map(({ url }) => new URL(url).host) });
  });
  afterAll(async () => {
    await proxy?.stop();
    await worker?.stop();
    await Promise.all(servers?.map((server) => server.stop()) ?? []);
  });

  const api = (path: string, init: RequestInit = {}) =>
    fetch(`${proxy.url}/api/2.0/${path}`, {
      ...init,
      headers: { authorization: `Bearer ${basics.token}`, "content-type": "application/json", ...init.headers },
    });

  /** Repeatedly writes and reads a policy until `isOver`. Returns the failures and the number of responses. */
  async function callSteadily(patient: number, isOver: () => boolean) {
    const problems: string[] = [];
    let responses = 0;
    const policies = `patients/${patient}/policies`;
    const attempt = async (method: string, path: string, expected: number, body?: object) => {
      const init = { method, ...(body ? { body: JSON.stringify(body) } : {}) };
      const { status, text } = await api(path, init).then(
        async (response) => ({ status: response.status, text: await response.text() }),
        (error: Error) => ({ status: 0, text: String(error.cause ?? error) }),
      );
      responses++;
      if (status === expected) return JSON.parse(text);
      problems.push(`${method} ${path}: ${status} ${text}`);
      return {};
    };
    const { id } = await attempt("POST", policies, 201, { ...MARIA, rank: 1 });
    for (let round = 1; !isOver(); round++) {
      await attempt("PATCH", `${policies}/${id}`, 200, { plan: `Plan ${round}` });
      const { plan } = await attempt("GET", `${policies}/${id}`, 200);
      if (plan !== `Plan ${round}`) problems.push(`Plan ${round} was written, ${plan} read`);
    }
    return { problems, responses };
  }

  test("are upgraded without a failed request, with a migration in between", { timeout: 120_000 }, async () => {
    const nextVersion = await bundleNextVersion();
    const startNext = (port: string) => startServer("production", { ...SETTINGS, PORT: port }, nextVersion);
    const early = await startNext(String(await freePort()));
    const notReady = await fetch(`${early.url}/readyz`);
    expect(notReady.status).toBe(503);
    expect(await notReady.text()).toContain("Not applied: ");
    await early.stop();

    let isOver = false;
    const load = Promise.all(patients.map((patient) => callSteadily(patient, () => isOver)));
    const { applied } = await deploy(ownerUrl(), nextMigrations());
    expect(applied).toHaveLength(1);
    expect((await fetch(`${proxy.url}/readyz`)).status).toBe(200);
    const codes: (number | null)[] = [];
    for (const at of servers.keys()) {
      const { url, stop } = servers[at] as RunningServer;
      codes.push(await stop());
      servers[at] = await startNext(new URL(url).port);
      // The next one must not stop before HAProxy uses this one again.
      const logged = proxy.output().length;
      await vi.waitUntil(() => proxy.output().includes(` web/web-${at + 1} `, logged), { timeout: 30_000 });
    }
    isOver = true;
    const results = await load;
    expect(codes).toEqual([0, 0]);
    expect(results.flatMap(({ problems }) => problems)).toEqual([]);
    for (const { responses } of results) expect(responses).toBeGreaterThan(10);
    for (const patient of patients) await expectStoresAgree(patient);
  });

  test("use the client address that the proxy sees, and ignore forged headers", async () => {
    const requestId = "spoofed-address";
    const headers = [
      ["Host", "127.0.0.1"],
      ["X-Forwarded-For", "203.0.113.7"],
      ["X-Forwarded-For", "203.0.113.8, 203.0.113.9"],
      ["Authorization", `Bearer ${basics.token}`],
      ["X-Request-Id", requestId],
    ].flat();
    const request = http.get(`${proxy.url}/api/2.0/patients/${patients[0]}`, {
      headers: headers as unknown as http.OutgoingHttpHeaders,
      localAddress: "127.0.0.9",
    });
    const [response] = (await once(request, "response")) as [http.IncomingMessage];
    response.resume();
    expect(response.statusCode).toBe(200);
    await expect
      .poll(() => db.rows<{ address: string }>(sql`SELECT address FROM audit_log WHERE request_id = ${requestId}`))
      .toEqual([{ address: "127.0.0.9" }]);
  });

  test("say that a body is too large", async () => {
    const body = JSON.stringify({ ...MARIA, notes: "x".repeat(BODY_LIMIT) });
    const response = await api(`patients/${patients[0]}/policies`, { method: "POST", body });
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ code: "payload_too_large" });
    const streamed = new Blob([body]).stream();
    const init = { method: "POST", body: streamed, duplex: "half" } as RequestInit;
    expect((await api(`patients/${patients[0]}/policies`, init)).status).toBe(413);
  });

  test("leave neither names of patients nor tokens in the proxy's log", async () => {
    const before = proxy.output().length;
    expect((await api("patients?last_name=Lopez")).status).toBe(200);
    await expect.poll(() => proxy.output().slice(before)).toContain("/api/2.0/patients ");
    expect(proxy.output()).not.toMatch(/Lopez|last_name|Bearer/);
  });

  test("keep their metrics to themselves", async () => {
    for (const path of ["/metrics", "/metrics/", "/metrics?x=1", "/%6Detrics", "//metrics"]) {
      const response = await fetch(proxy.url + path);
      expect(response.status, path).toBe(404);
      expect(await response.text()).not.toContain("crosswalk_");
    }
  });
});
