// Listeners: developers receive webhooks on a machine that Crosswalk can't call, with `npx crosswalk listen`.
import { type ChildProcess, spawn } from "node:child_process";
import type http from "node:http";
import { Webhook } from "standardwebhooks";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { apiRoutes } from "@/generated/api-routes";
import { createClient } from "@/lib/access/clients/commands";
import { startWebhooks } from "@/lib/background/webhooks";
import { endExpiredListeners } from "@/lib/events/listeners/commands";
import { getDeliveryBacklog } from "@/lib/events/published/queries";
import { setClock } from "@/lib/platform/clock";
import { db, sql } from "@/lib/platform/db/sql";
import { createServer, listen, stopServer } from "@/lib/platform/http/server";
import type { Background } from "@/lib/platform/jobs/background";
import { type Basics, call, seedBasics } from "../support/api";
import { runScript } from "../support/run-script";
import { type Client, eventually, newClient, seedPatients, storedEvents } from "../support/webhook-clients";
import { type Receiver, startReceiver, stopReceivers } from "../support/webhook-receivers";

let basics: Basics;
let client: Client;
let patient: number;
let server: http.Server;
let url: string;
let delivery: Background;

beforeAll(async () => {
  basics = await seedBasics();
  client = await newClient(basics);
  [patient] = (await seedPatients(basics, 1)) as [number];
  const pages = async (_req: http.IncomingMessage, res: http.ServerResponse) => void res.end();
  server = createServer({ routes: { api: apiRoutes, staff: [] }, pages, trustProxy: false });
  url = `http://127.0.0.1:${await listen(server, { port: 0, host: "127.0.0.1" })}`;
  // It must leave the events of listeners alone.
  delivery = startWebhooks();
});
afterAll(async () => {
  await delivery.stop();
  await stopReceivers();
  await stopServer(server, 1000);
});
afterEach(() => setClock());

const change = async (middle_name: string) =>
  expect((await call("PATCH", `patients/${patient}`, { token: basics.token, body: { middle_name } })).status).toBe(200);

async function createListener({ token }: Client, resources = ["patients"]) {
  const { status, body } = await call("POST", "webhook_listeners", { token, body: { resources } });
  expect([status, body]).toEqual([201, expect.objectContaining({ signing_secret: expect.stringMatching(/^whsec_/) })]);
  return body;
}

const read = ({ token }: Client, id: string) => call("GET", `webhook_listeners/${id}`, { token });

interface Listening {
  child: ChildProcess;
  lines: Record<string, unknown>[];
  exited: Promise<number | null>;
}

/** Starts `npx crosswalk listen`, and waits until it listens. */
async function startListening(receiver: Receiver): Promise<Listening> {
  const { organization: organizationId, enabled } = basics;
  const own = await createClient({ name: "Developer", organizationId, practices: [enabled] });
  const credentials = { CROSSWALK_CLIENT_ID: own.clientId, CROSSWALK_CLIENT_SECRET: own.clientSecret };
  const forward = `http://127.0.0.1:${receiver.port}/hooks`;
  const args = ["scripts/crosswalk.mjs", "listen", "--forward", forward, "--server", url, "--json"];
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...credentials },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines: Record<string, unknown>[] = [];
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    const parts = `${text}${chunk}`.split("\n");
    text = parts.pop() ?? "";
    lines.push(...parts.map((line) => JSON.parse(line)));
  });
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  await eventually(async () => lines[0] ?? null);
  return { child, lines, exited };
}

test("`npx crosswalk listen` forwards webhooks with their signatures, reports the outcome, and ends its listener", async () => {
  const statuses = [204, 500];
  const receiver = await startReceiver((_request, response) => response.writeHead(statuses.shift() ?? 204).end());
  const { child, lines, exited } = await startListening(receiver);
  const { signing_secret, listener_id } = lines[0] as Record<string, string>;
  await change("Ann");
  await eventually(async () => lines[1] ?? null);
  await change("Beth");
  await eventually(async () => lines[2] ?? null);
  child.kill("SIGINT");
  expect(await exited).toBe(0);

  expect(receiver.requests).toHaveLength(2);
  for (const { body, headers, method, url: path } of receiver.requests) {
    expect([method, path]).toEqual(["POST", "/hooks"]);
    const verified = new Webhook(signing_secret ?? "").verify(body, headers as Record<string, string>);
    expect(verified).toMatchObject({ action: "saved", resource: "patients", data: { id: patient } });
  }
  expect(lines.slice(1)).toEqual([
    expect.objectContaining({
      event: "forwarded",
      status: 204,
      error: null,
      event_uuid: receiver.requests[0]?.headers["webhook-id"],
    }),
    expect.objectContaining({ event: "forwarded", status: 500, error: "HTTP 500." }),
  ]);
  const reported = await db.rows(sql`
    SELECT e.status_code, e.error_content, s.deleted_date IS NOT NULL AS ended
    FROM published_event e JOIN subscription s ON s.id = e.subscription_id
    WHERE s.target LIKE ${`%${listener_id}/`} ORDER BY e.id`);
  expect(reported).toEqual([
    { status_code: 204, error_content: null, ended: true },
    { status_code: 500, error_content: "HTTP 500.", ended: true },
  ]);
});

test("says what is wrong with its arguments, and that the server can't be reached", async () => {
  const credentials = { CROSSWALK_CLIENT_ID: "a", CROSSWALK_CLIENT_SECRET: "b" };
  const forward = ["--forward", "http://127.0.0.1:4250"];
  const run = (args: string[], env = {}) => runScript("crosswalk.mjs", ["listen", ...args], env);
  expect(await run([], credentials)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--forward is required"),
  });
  expect(await run(["--forward", "localhost"], credentials)).toMatchObject({ code: 2 });
  expect(await run(forward)).toMatchObject({ code: 2, stderr: expect.stringContaining("CROSSWALK_CLIENT_ID") });
  const wrong = await run([...forward, "--server", url], credentials);
  expect([wrong.code, wrong.stderr]).not.toEqual([0, ""]);
  expect(wrong.stderr).toContain("invalid_client");
  const nobody = await run([...forward, "--server", "http://127.0.0.1:1"], credentials);
  expect(nobody.stderr).toContain("http://127.0.0.1:1 can't be reached");
});

test("a webhook waits until the client reports on it, and is sent nowhere", async () => {
  const { listener_id, signing_secret } = await createListener(client, ["patients", "appointments", "patients"]);
  const target = new RegExp(`^http.*/api/2.0/webhook_listeners/${listener_id}/$`);
  const { body: subscriptions } = await call("GET", "subscriptions", { token: client.token });
  expect(subscriptions.results.map(({ resource }: { resource: string }) => resource).sort()).toEqual([
    "appointments",
    "patients",
  ]);
  for (const one of subscriptions.results) expect(one.target).toMatch(target);
  await change("Cleo");
  const first = (await read(client, listener_id)).body.webhooks;
  expect(first).toHaveLength(1);
  const [{ event_id, headers, body }] = first;
  expect(new Webhook(signing_secret).verify(body, headers)).toMatchObject({ event_id, data: { middle_name: "Cleo" } });
  expect((await read(client, listener_id)).body.webhooks).toHaveLength(1);
  expect(await getDeliveryBacklog()).toMatchObject({ due: 0, waiting: 0, sending: 0 });
  const report = { processed_date: "2026-11-21T10:00:00Z", status_code: 200 };
  await call("PUT", `published_events/${event_id}`, { token: client.token, body: report });
  expect((await read(client, listener_id)).body.webhooks).toEqual([]);
  const { id } = subscriptions.results.find(({ resource }: { resource: string }) => resource === "patients");
  expect((await storedEvents(id)).map(({ delivery, attempts }) => [delivery, attempts])).toEqual([["delivered", 0]]);
  await call("DELETE", `webhook_listeners/${listener_id}`, { token: client.token });
});

test("nobody else can read or end a listener", async () => {
  const { listener_id } = await createListener(client);
  await change("Dora");
  for (const token of [(await newClient(basics)).token, basics.stranger]) {
    for (const method of ["GET", "DELETE"])
      expect((await call(method, `webhook_listeners/${listener_id}`, { token })).status).toBe(404);
  }
  expect((await read(client, listener_id)).body.webhooks).toHaveLength(1);
  expect((await call("DELETE", `webhook_listeners/${listener_id}`, { token: client.token })).status).toBe(204);
  expect((await read(client, listener_id)).status).toBe(404);
});

test("a listener ends after 8 hours, and its events are canceled", async () => {
  const { listener_id, expires_date } = await createListener(client);
  await change("Elsa");
  await endExpiredListeners();
  expect((await read(client, listener_id)).body.webhooks).toHaveLength(1);
  setClock({ now: () => new Date(expires_date) });
  expect((await read(client, listener_id)).status).toBe(404);
  await endExpiredListeners();
  const [found] = await db.rows<{ id: number; ended: boolean }>(sql`
    SELECT id, deleted_date IS NOT NULL AS ended FROM subscription WHERE target LIKE ${`%${listener_id}/`}`);
  expect(found?.ended).toBe(true);
  expect((await storedEvents(found?.id ?? 0)).map((event) => event.delivery)).toEqual(["canceled"]);
});

test("a client has at most 10 listeners, also if it creates several at once", async () => {
  const { token } = await newClient(basics);
  const options = { token, body: { resources: ["patients"] } };
  const results = await Promise.all(Array.from({ length: 12 }, () => call("POST", "webhook_listeners", options)));
  expect(results.filter(({ status }) => status === 201)).toHaveLength(10);
  const rejected = results.filter(({ status }) => status !== 201);
  expect(rejected.map(({ status, body }) => [status, body.code])).toEqual(Array(2).fill([409, "too_many_listeners"]));
});
