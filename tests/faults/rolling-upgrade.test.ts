// Two servers behind HAProxy with deploy/haproxy/haproxy.cfg, and one worker: what clients see while they are upgraded one after the other, and
// while they go back to the previous version, and what the proxy keeps from clients.
import { once } from "node:events";
import http from "node:http";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { db, raw, sql } from "@/lib/platform/db/sql";
import { build } from "@/scripts/lib/build-steps.mjs";
import { freePort } from "@/scripts/lib/free-port.mjs";
import { programOf } from "@/scripts/lib/programs.mjs";
import { type Basics, MARIA, seedBasics, seedPatient } from "../support/api";
import { findHaproxy, startHaproxy } from "../support/haproxy.mjs";
import { ADDED_TABLE, installNextVersion, NEXT_MIGRATION } from "../support/next-version";
import { owner, ownerUrl } from "../support/owner";
import { runScript } from "../support/run-script";
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
const THIS_VERSION = { server: "build/server.mjs", worker: programOf("worker.ts") };

/** Migrates as operators do, with the owner's URL. Returns the output. */
async function migrate(program: string): Promise<string> {
  const { code, stdout, stderr } = await runScript(program, ["deploy"], { MIGRATION_DATABASE_URL: ownerUrl() });
  expect(code, stderr).toBe(0);
  return stdout;
}

/** Inserts an event that housekeeping deletes. */
async function insertOldEvent(): Promise<void> {
  const longAgo = "2001-01-01T00:00:00Z";
  await owner.run(sql`
    WITH s AS (
      INSERT INTO subscription (client_id, resource, target, target_origin, signing_pub_key, signing_private_key, created_date,
        modified_date, deleted_date)
      SELECT id, 'patients', 'https://ehr.example', 'https://ehr.example', '', '', ${longAgo}, ${longAgo}, ${longAgo}
      FROM oauth_client LIMIT 1 RETURNING id, client_id)
    INSERT INTO published_event (event_uuid, subscription_id, client_id, practice_id, event_type, resource, resource_id, target, delivery,
      next_attempt_date, give_up_date, created_date, modified_date)
    SELECT gen_random_uuid(), id, client_id, 1, 'saved', 'patients', 1, 'https://ehr.example', 'delivered',
      ${longAgo}, ${longAgo}, ${longAgo}, ${longAgo} FROM s`);
}

const countOldEvents = async () =>
  (
    await owner.one<{ n: number }>(
      sql`SELECT count(*)::int AS n FROM published_event WHERE created_date < '2002-01-01'`,
    )
  ).n;

/** Returns the tables whose triggers wrote to the table that only the next version knows. */
const listChanged = async () =>
  (await owner.rows<{ changed: string }>(sql`SELECT DISTINCT changed FROM ${raw(ADDED_TABLE)} ORDER BY changed`)).map(
    ({ changed }) => changed,
  );

describe.skipIf(!findHaproxy())("two servers behind HAProxy", () => {
  let basics: Basics;
  let patients: number[];
  let servers: RunningServer[];
  let worker: WorkerProcess;
  let proxy: Awaited<ReturnType<typeof startHaproxy>>;

  beforeAll(async () => {
    await build();
    basics = await seedBasics();
    servers = await Promise.all([start(), start()]);
    worker = await WorkerProcess.start({ STREAM_CONSUMER: "worker" });
    proxy = await startHaproxy({ port: await freePort(), servers: servers.map(({ url }) => new URL(url).host) });
  });
  afterAll(async () => {
    await proxy?.stop();
    await worker?.stop();
    await Promise.all(servers?.map((server) => server.stop()) ?? []);
  });

  const seedPatients = () =>
    Promise.all(Array.from({ length: CLIENTS }, () => seedPatient(basics.enabled, basics.physicians.enabled)));

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

  /** Expects that no request fails while clients write, each to a new patient, and that both stores agree afterwards. */
  async function whileClientsWrite(work: () => Promise<void>): Promise<void> {
    patients = await seedPatients();
    let isOver = false;
    const load = Promise.all(patients.map((patient) => callSteadily(patient, () => isOver)));
    await work().finally(() => {
      isOver = true;
    });
    const results = await load;
    expect(results.flatMap(({ problems }) => problems)).toEqual([]);
    for (const { responses } of results) expect(responses).toBeGreaterThan(10);
    for (const patient of patients) await vi.waitFor(() => expectStoresAgree(patient), { timeout: 30_000 });
  }

  /** Replaces the worker, and one server after the other. */
  async function replaceAll(program: typeof THIS_VERSION): Promise<void> {
    const earlier = worker;
    worker = await WorkerProcess.start({ STREAM_CONSUMER: "worker" }, [program.worker]);
    await earlier.stop();
    for (const at of servers.keys()) {
      const { url, stop } = servers[at] as RunningServer;
      expect(await stop()).toBe(0);
      servers[at] = await startServer("production", { ...SETTINGS, PORT: new URL(url).port }, program.server);
      // The next one must not stop before HAProxy uses this one again.
      const logged = proxy.output().length;
      await vi.waitUntil(() => proxy.output().includes(` web/web-${at + 1} `, logged), { timeout: 30_000 });
    }
  }

  test("are upgraded without a failed request, with migrations in between", async () => {
    const next = await installNextVersion();
    const early = await startServer("production", SETTINGS, next.server);
    const notReady = await fetch(`${early.url}/readyz`);
    expect(notReady.status).toBe(503);
    expect(await notReady.text()).toContain("Not applied: ");
    await early.stop();
    await whileClientsWrite(async () => {
      expect((await migrate(next.migrate)).match(/^applied /gm)).toHaveLength(2);
      expect((await fetch(`${proxy.url}/readyz`)).status).toBe(200);
      await replaceAll(next);
    });
    expect(await listChanged()).toEqual(["policy"]);
  });

  test("go back without a failed request: the previous version takes no rights from the next one", async () => {
    await insertOldEvent();
    await whileClientsWrite(async () => {
      expect(await migrate("migrate.mjs")).toContain(`unknown migration: ${NEXT_MIGRATION}`);
      await replaceAll(THIS_VERSION);
    });
    await expect.poll(countOldEvents, { timeout: 60_000 }).toBe(0);
    expect(await listChanged()).toEqual(["policy", "published_event"]);
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
