// Two servers and two workers share a database, and requests alternate between the servers: one server can continue what the other started.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PART_BYTES } from "@/lib/migration/read/upload-run";
import { build } from "@/scripts/lib/build-steps.mjs";
import { type Basics, MARIA, seedBasics, seedPatient } from "../support/api";
import { toLines } from "../support/generated-export";
import { imageContent } from "../support/images";
import { COMPANIES, legacyPatient } from "../support/legacy-export";
import { type RunningServer, startServer } from "../support/servers";
import { Browser } from "../support/sign-in";
import { PASSWORD, signInAs } from "../support/staff";
import { WorkerProcess } from "../support/worker-process";

/** A worker looks for uploaded files every second. */
const PATIENCE = { timeout: 60_000 };

let basics: Basics;
let servers: RunningServer[];
let workers: WorkerProcess[];
let turn = 0;

beforeAll(async () => {
  await build();
  basics = await seedBasics();
  const settings = { STREAM_CONSUMER: "worker" };
  servers = await Promise.all([1, 2].map(() => startServer("production", settings)));
  workers = await Promise.all([1, 2].map(() => WorkerProcess.start(settings)));
});
afterAll(async () => {
  for (const program of [...(workers ?? []), ...(servers ?? [])]) await program.stop();
});

/** Returns the address of the server whose turn it is. */
const nextServer = () => (servers[turn++ % 2] as RunningServer).url;

async function send(path: string, init: RequestInit = {}) {
  const response = await fetch(`${nextServer()}${path}`, init);
  const text = await response.text();
  return { status: response.status, body: JSON.parse(text) };
}

const api = (method: string, path: string, body?: object, headers = {}) =>
  send(`/api/2.0/${path}`, {
    method,
    headers: { authorization: `Bearer ${basics.token}`, "content-type": "application/json", ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });

/** Signs in with the form of one server. Returns how to call any server with the session. */
async function signIn() {
  const { email } = await signInAs("admin", [basics.enabled]);
  const browser = new Browser(nextServer());
  expect((await browser.signIn(email, PASSWORD)).status).toBe(200);
  const { cookie } = browser;
  const call = (method: string, path: string, body?: object | Uint8Array) => {
    const url = nextServer();
    const isFile = body instanceof Uint8Array;
    const headers = {
      cookie,
      origin: url,
      "content-type": isFile ? "application/octet-stream" : "application/json",
    };
    const content = isFile ? body : JSON.stringify(body);
    return fetch(`${url}/api/staff/practices/${basics.enabled}/${path}`, {
      method,
      headers,
      ...(body && { body: content as BodyInit }),
    });
  };
  return { call, signOut: () => browser.signOut() };
}

test("a session started on one server is valid on the other, and signing out ends it on both", async () => {
  const { call, signOut } = await signIn();
  for (const _ of servers) expect((await call("GET", "patients")).status).toBe(200);
  await signOut();
  for (const _ of servers) expect((await call("GET", "patients")).status).toBe(401);
});

test("a file uploaded in parts to both servers is read and checked", async () => {
  const { call: staff } = await signIn();
  const records = Array.from({ length: 10 }, (_, at) => legacyPatient(at + 1, { insurances: [] }));
  const lines = toLines(records);
  const file = Buffer.concat([Buffer.from(lines), Buffer.alloc(2 * PART_BYTES, "\n")]);
  const parts = Math.ceil(file.length / PART_BYTES);
  const fields = { name: "patients.ndjson", size: file.length, as_of: "2025-10-01", companies: toLines(COMPANIES) };
  const { id } = await (await staff("POST", "migrations", fields)).json();
  for (let part = parts; part >= 1; part--) {
    const bytes = file.subarray((part - 1) * PART_BYTES, part * PART_BYTES);
    expect((await staff("PUT", `migrations/${id}/parts/${part}`, bytes)).status).toBe(204);
  }
  expect((await staff("POST", `migrations/${id}/work`, { work: "check" })).status).toBe(200);
  const find = async () => (await staff("GET", `migrations/${id}`)).json();
  await expect.poll(async () => (await find()).run.state, PATIENCE).toBe("checked");
  expect((await find()).totals.patients.records).toBe(records.length);
});

test("a signed link from one server opens on the other", async () => {
  const patient = await seedPatient(basics.enabled, basics.physicians.enabled);
  const policies = `patients/${patient}/policies`;
  const { id } = (await api("POST", policies, { ...MARIA, rank: 1 })).body;
  const image = await imageContent(1);
  expect(await api("POST", `${policies}/${id}/card-images`, { image })).toMatchObject({ status: 201 });
  const { body } = await api("GET", `${policies}/${id}/card-images`);
  const { pathname, search } = new URL(body[0].url);
  for (const { url } of servers) {
    const response = await fetch(`${url}${pathname}${search}`);
    expect(response.status).toBe(200);
    expect(Buffer.from(await response.arrayBuffer()).toString("base64")).toBe(image.base64_content);
  }
});

test("a request repeated on the other server gets the original response", async () => {
  const patient = await seedPatient(basics.enabled, basics.physicians.enabled);
  const policies = `patients/${patient}/policies`;
  const key = { "idempotency-key": randomUUID() };
  const [first, second] = [
    await api("POST", policies, { ...MARIA, rank: 1 }, key),
    await api("POST", policies, { ...MARIA, rank: 1 }, key),
  ];
  expect(first.status).toBe(201);
  expect(second).toEqual(first);
  expect((await api("GET", policies)).body.results).toHaveLength(1);
});
