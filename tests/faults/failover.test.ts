// DATABASE_URL lists two servers. The primary fails, and the standby takes over.
import { afterAll, beforeAll, expect, test } from "vitest";
import { DatabaseClient } from "@/lib/platform/db/client.mjs";
import { build } from "@/scripts/lib/build-steps.mjs";
import { status } from "@/scripts/lib/migrations.mjs";
import { asAdmin } from "@/scripts/lib/postgres.mjs";
import { type Basics, MARIA, seedBasics, seedPatient } from "../support/api";
import { changeSettings } from "../support/process-state";
import { type Replica, startReplicas } from "../support/replicas";
import { runScript } from "../support/run-script";
import { type RunningServer, startServer } from "../support/servers";
import { expectStoresAgree, policiesOf } from "../support/stores";
import { startTcpProxy } from "../support/tcp-proxy";

/** Clients that write at the same time, each for its own patient. */
const WRITERS = 4;

let replicas: Awaited<ReturnType<typeof startReplicas>>;
let basics: Basics;
let patients: number[];
let server: RunningServer;

/** Returns the URL that lists both servers, with the standby first. */
function listBoth(of: "url" | "ownerUrl"): string {
  const { primary, standby } = replicas;
  return primary[of].replace(primary.place, `${standby.place},${primary.place}`);
}

beforeAll(async () => {
  await build();
  replicas = await startReplicas();
  await changeSettings({ DATABASE_URL: listBoth("url") });
  basics = await seedBasics();
  patients = [];
  for (let at = 0; at < WRITERS; at++) patients.push(await seedPatient(basics.enabled, basics.physicians.enabled));
  server = await startServer("production", { LOG_LEVEL: "warn" });
});
afterAll(async () => {
  await server?.stop();
  await replicas?.stop();
});

async function addPolicy(patient: number): Promise<{ status: number; id: number }> {
  const response = await fetch(`${server.url}/api/2.0/patients/${patient}/policies`, {
    method: "POST",
    headers: { authorization: `Bearer ${basics.token}`, "content-type": "application/json" },
    body: JSON.stringify({ ...MARIA, rank: 1 }),
  });
  const { id } = (await response.json()) as { id: number };
  return { status: response.status, id };
}

const isReady = async () => (await fetch(`${server.url}/readyz`)).status === 200;
const setReadOnly = (replica: Replica, value: "on" | "off") =>
  asAdmin(replica.ownerUrl, async (client) => {
    await client.query("SET default_transaction_read_only = off");
    await client.query(`ALTER SYSTEM SET default_transaction_read_only = ${value}`);
    await client.query("SELECT pg_reload_conf()");
  });

test("all connections skip the standby, also those of commands", async () => {
  expect(await isReady()).toBe(true);
  expect((await addPolicy(patients[0] as number)).status).toBe(201);
  expect((await status(listBoth("ownerUrl"))).pending).toEqual([]);
  expect((await runScript("seed.ts", ["--patients", "1"])).code).toBe(0);
});

test("the server continues after a failover, and no acknowledged write is lost", async () => {
  const acknowledged: { patient: number; id: number }[] = [];
  const others = new Set<number>();
  let isDone = false;
  const write = async (patient: number) => {
    while (!isDone) {
      const { status, id } = await addPolicy(patient);
      if (status === 201) acknowledged.push({ patient, id });
      else others.add(status);
    }
  };
  const writing = Promise.all(patients.map(write));
  const moreThan = (count: number) =>
    expect.poll(() => acknowledged.length, { timeout: 30_000 }).toBeGreaterThan(count);
  await moreThan(20);
  replicas.primary.crash();
  await expect.poll(isReady, { timeout: 20_000 }).toBe(false);
  const before = acknowledged.length;
  await asAdmin(replicas.standby.ownerUrl, (client) => client.query("SELECT pg_promote()"));
  await moreThan(before + 20);
  isDone = true;
  await writing;
  expect([...others]).toEqual([503]);
  for (const patient of patients) {
    const stored = new Set((await policiesOf(patient)).map(({ id }) => id));
    const lost = acknowledged.filter((one) => one.patient === patient && !stored.has(one.id));
    expect(lost).toEqual([]);
    await expectStoresAgree(patient);
  }
  await expect.poll(isReady, { timeout: 20_000 }).toBe(true);
});

test("a server that becomes read-only loses its connections, and gets new ones when it accepts writes again", async () => {
  const client = new DatabaseClient({ connectionString: listBoth("url") });
  let loss = "";
  client.on("error", ({ message }: Error) => {
    loss = message;
  });
  await client.connect();
  await setReadOnly(replicas.standby, "on");
  const lossAfterRead = async () => {
    await client.query("SELECT 1").catch(() => {});
    return loss;
  };
  await expect.poll(lossAfterRead, { timeout: 20_000 }).toContain("the database has become read-only");
  await expect.poll(() => addPolicy(patients[0] as number), { timeout: 20_000 }).toMatchObject({ status: 503 });
  const { place } = replicas.standby;
  const reason = `No database server can be used: ${place} (read-only), ${replicas.primary.place} (ECONNREFUSED)`;
  const { code, stderr } = await runScript("images.ts", ["check"]);
  expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining(reason) });
  expect(stderr).not.toContain(new URL(replicas.primary.url).password);
  await setReadOnly(replicas.standby, "off");
  await expect.poll(isReady, { timeout: 20_000 }).toBe(true);
  expect((await addPolicy(patients[0] as number)).status).toBe(201);
});

test("a server that hangs loses its connections once another accepts writes", async () => {
  const { url, place } = replicas.standby;
  const proxy = await startTcpProxy(`http://${place}`);
  const client = new DatabaseClient({ connectionString: url.replace(place, `${proxy.place},${place}`) });
  client.on("error", () => {});
  await client.connect();
  expect(client.port).toBe(Number(proxy.place.split(":")[1]));
  proxy.delayMs = 3_600_000;
  await expect(client.query("SELECT 1")).rejects.toThrow("another server is the primary now");
  await proxy.stop();
});
