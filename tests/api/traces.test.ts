// One trace follows a write from the client through the server and a worker to the receiver of a webhook.
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { build } from "@/scripts/lib/build-steps.mjs";
import { type Basics, MARIA, seedBasics, seedPatient } from "../support/api";
import { type RunningServer, startServer } from "../support/servers";
import { type ReceivedSpan, startTraceCollector, type TraceCollector } from "../support/trace-collector";
import { createListener } from "../support/webhook-clients";
import { type Receiver, startReceiver, stopReceivers } from "../support/webhook-receivers";
import { WorkerProcess } from "../support/worker-process";

const SECRETS = /Maria|Lopez|Acme|Northside|baggage/;

let basics: Basics;
let patient: number;
let collector: TraceCollector;
let webhooks: Receiver;
let server: RunningServer;

process.env.WEBHOOK_ALLOW_PRIVATE = "true";
const workerSettings = { STREAM_CONSUMER: "worker", STREAM_WAIT_MS: "0" };

beforeAll(async () => {
  await build();
  basics = await seedBasics();
  patient = await seedPatient(basics.enabled, basics.physicians.enabled);
  collector = await startTraceCollector();
  webhooks = await startReceiver();
  await createListener(basics, `http://127.0.0.1:${webhooks.port}/`);
  server = await startServer("production", { ...workerSettings, ...collector.settings, LOG_LEVEL: "info" });
});
afterAll(async () => {
  await server?.stop();
  await stopReceivers();
});

const api = (path: string, init: { method?: string; body?: object; headers?: Record<string, string> } = {}) =>
  fetch(`${server.url}/api/2.0/${path}`, {
    method: init.method ?? "GET",
    headers: { authorization: `Bearer ${basics.token}`, "content-type": "application/json", ...init.headers },
    ...(init.body ? { body: JSON.stringify(init.body) } : {}),
  });

/** Waits until the span of this name arrives in a trace. */
async function spanOf(name: string, traceId: string): Promise<ReceivedSpan> {
  const find = () => collector.spans().find((span) => span.name === name && span.traceId === traceId);
  await expect.poll(find, { timeout: 20_000 }).toBeDefined();
  return find() as ReceivedSpan;
}

test("a trace continues in the worker and the webhook", async () => {
  const [traceId, clientSpan] = [randomBytes(16).toString("hex"), randomBytes(8).toString("hex")];
  const created = await api(`patients/${patient}/policies`, {
    method: "POST",
    body: { ...MARIA, rank: 1, carrier: "Acme Health" },
    headers: {
      traceparent: `00-${traceId}-${clientSpan}-01`,
      tracestate: "vendor=secret",
      baggage: "user=Maria",
      "x-request-id": "request-of-the-trace",
    },
  });
  expect(created.status).toBe(201);
  const request = await spanOf("policies.create", traceId);
  expect(request).toMatchObject({ service: "crosswalk-server", kind: 2, parentSpanId: clientSpan });
  expect(request.attributes).toEqual({
    "http.request.method": "POST",
    "http.response.status_code": 201,
    "crosswalk.request_id": "request-of-the-trace",
  });
  const insert = await spanOf("COMMIT", traceId);
  expect(insert).toMatchObject({ kind: 3, parentSpanId: request.spanId });
  expect(insert.attributes).toMatchObject({ "db.system.name": "postgresql", "db.query.text": "COMMIT" });

  const worker = await WorkerProcess.start({ ...workerSettings, ...collector.settings });
  const replication = await spanOf("replication.deliver", traceId);
  expect(replication).toMatchObject({ service: "crosswalk-worker", parentSpanId: request.spanId, status: 0 });
  const delivery = await spanOf("webhooks.deliver", traceId);
  await worker.stop();
  expect(delivery).toMatchObject({ service: "crosswalk-worker", kind: 3, parentSpanId: request.spanId });
  expect(delivery.attributes).toMatchObject({
    "http.request.method": "POST",
    "http.response.status_code": 200,
    "server.address": "127.0.0.1",
    "crosswalk.attempt": 1,
  });
  expect(webhooks.requests[0]?.headers).toMatchObject({ traceparent: `00-${traceId}-${delivery.spanId}-01` });
  expect(webhooks.requests[0]?.headers).not.toHaveProperty("tracestate");
  expect(webhooks.requests[0]?.headers).not.toHaveProperty("baggage");
});

test("a log line has the IDs of its trace and its request", async () => {
  const traceId = randomBytes(16).toString("hex");
  await api("practices", {
    headers: { traceparent: `00-${traceId}-${"1".repeat(16)}-01`, "x-request-id": "a-log-line" },
  });
  const { spanId } = await spanOf("practices.list", traceId);
  await expect.poll(() => server.output()).toContain(`"trace_id":"${traceId}"`);
  const line = server
    .output()
    .split("\n")
    .find((text) => text.includes("a-log-line"));
  expect(JSON.parse(line ?? "")).toMatchObject({ trace_id: traceId, span_id: spanId, request: "a-log-line" });
});

test("a client decides whether its requests are traced, and an invalid context starts a new trace", async () => {
  const [ignored, broken] = [randomBytes(16).toString("hex"), randomBytes(16).toString("hex")];
  await api("practices", {
    headers: { traceparent: `00-${ignored}-${"2".repeat(16)}-00`, "x-request-id": "not-sampled" },
  });
  await api("practices", { headers: { traceparent: `${broken} and more`, "x-request-id": "broken-context" } });
  const byRequest = (id: string) =>
    collector.spans().find(({ attributes }) => attributes["crosswalk.request_id"] === id);
  await expect.poll(() => byRequest("broken-context")).toMatchObject({ name: "practices.list" });
  expect(byRequest("broken-context")?.parentSpanId ?? "").toBe("");
  expect(byRequest("not-sampled")).toBeUndefined();
});

test("failures have a code but no message", async () => {
  await api("practices/999999999999");
  await api("nothing");
  await expect.poll(() => collector.spans().map(({ name }) => name)).toContain("unknown");
  const shown = collector.spans().find(({ name }) => name === "practices.get");
  expect(shown).toMatchObject({ status: 0, attributes: { "http.response.status_code": 404 } });
});

test("a page is one span, and probes and files have none", async () => {
  const name = "Maria";
  const page = await (await fetch(`${server.url}/sign-in?next=%2F${name}`)).text();
  const [file = ""] = /\/_next\/static\/[^"]+\.js/.exec(page) ?? [];
  expect((await fetch(server.url + file)).status).toBe(200);
  await fetch(`${server.url}/healthz`);
  await api("practices", { headers: { "x-request-id": "after-the-page" } });
  await expect
    .poll(() => collector.spans().filter(({ attributes }) => attributes["crosswalk.request_id"] === "after-the-page"))
    .toHaveLength(1);
  const requests = collector.spans().filter(({ kind, service }) => kind === 2 && service === "crosswalk-server");
  expect(requests.filter(({ name: own }) => own === "page")).toHaveLength(1);
  const operations = new Set(requests.map(({ name: own }) => own));
  expect([...operations].sort()).toEqual(["page", "policies.create", "practices.get", "practices.list", "unknown"]);
});

test("no span says anything about a patient, a client or a token", () => {
  expect(collector.spans().length).toBeGreaterThan(10);
  expect(collector.text()).not.toMatch(SECRETS);
  expect(collector.text()).not.toContain(basics.token);
});

test("a server with only a URL for traces, where everything is rejected, serves requests and warns once", async () => {
  const rejecting = await startReceiver((_request, response) => response.writeHead(400).end());
  const alone = await startServer("production", {
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `http://127.0.0.1:${rejecting.port}/otlp/traces`,
    OTEL_BSP_SCHEDULE_DELAY: "50",
    LOG_LEVEL: "warn",
  });
  for (let round = 1; round <= 3; round++) {
    expect((await fetch(`${alone.url}/api/2.0/practices`)).status).toBe(401);
    await expect.poll(() => rejecting.requests.length, { timeout: 20_000 }).toBeGreaterThanOrEqual(round);
  }
  await alone.stop();
  expect(new Set(rejecting.requests.map(({ url }) => url))).toEqual(new Set(["/otlp/traces"]));
  expect(alone.output().match(/traces were not sent/g)).toHaveLength(1);
});
