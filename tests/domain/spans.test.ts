// What becomes a span inside of a process: work that a request caused, statements, the image store, and failures.
import { randomBytes, randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { db, sql } from "@/lib/platform/db/sql";
import type { Background } from "@/lib/platform/jobs/background";
import { S3ImageStore } from "@/lib/platform/storage/s3-image-store";
import { currentTraceparent, inSpan, startTracing, withoutSpans } from "@/lib/platform/tracing";
import { seedBasics } from "../support/api";
import { COMPANIES, legacyInsurance, legacyPatient, writeLines } from "../support/legacy-export";
import { createCheckedRun, seedMigratingPractice } from "../support/migration-runs";
import { hasObjectStore, startObjectStore } from "../support/object-store";
import { startTraceCollector, type TraceCollector } from "../support/trace-collector";
import { stopReceivers } from "../support/webhook-receivers";

let collector: TraceCollector;
let tracing: Background;
beforeAll(async () => {
  collector = await startTraceCollector();
  Object.assign(process.env, collector.settings, { OTEL_SERVICE_NAME: "our tests" });
  tracing = await startTracing("unused");
});
afterAll(stopReceivers);

const newTrace = () => {
  const [traceId, spanId] = [randomBytes(16).toString("hex"), randomBytes(8).toString("hex")];
  return { traceId, spanId, traceparent: `00-${traceId}-${spanId}-01` };
};
const spansOf = (traceId: string) => collector.spans().filter((span) => span.traceId === traceId);

/** Waits until a trace has this many spans. */
async function waitForSpans(traceId: string, count: number) {
  await expect.poll(() => spansOf(traceId), { timeout: 20_000 }).toHaveLength(count);
  return spansOf(traceId);
}

test("work continues the trace that was stored with it", async () => {
  const { traceId, spanId, traceparent } = newTrace();
  const inside = await inSpan({ name: "work", parent: traceparent }, async () => currentTraceparent());
  const [span] = await waitForSpans(traceId, 1);
  expect(span).toMatchObject({ service: "our tests", name: "work", parentSpanId: spanId, status: 0 });
  expect(inside).toEqual({ traceparent: `00-${traceId}-${span?.spanId}-01` });
  expect(currentTraceparent()).toEqual({});
});

test("statements are spans only in a trace, and hold no values", async () => {
  const { traceId, traceparent } = newTrace();
  await db.run(sql`SELECT ${"Maria, without a trace"}::text`);
  await inSpan({ name: "work", parent: traceparent }, async () => {
    await db.run(sql`SELECT ${"Maria"}::text`);
    await withoutSpans(() => db.run(sql`SELECT ${"Lopez"}::text, 2`));
  });
  const spans = await waitForSpans(traceId, 2);
  expect(spans.map(({ attributes }) => attributes["db.query.text"]).sort()).toEqual(["SELECT $1::text", undefined]);
  expect(collector.spans().filter(({ name }) => name === "SELECT")).toHaveLength(1);
  expect(collector.text()).not.toMatch(/Maria|Lopez/);
});

test("failures have a code, but not the message, which can quote a value", async () => {
  const { traceId, traceparent } = newTrace();
  const failing = inSpan({ name: "work", parent: traceparent }, () => db.run(sql`SELECT ${"Maria"}::text::int`));
  await expect(failing).rejects.toThrow("Maria");
  const spans = await waitForSpans(traceId, 2);
  for (const { status, attributes } of spans) {
    expect(status).toBe(2);
    expect(attributes).toMatchObject({ "error.type": "22P02" });
  }
  expect(collector.text()).not.toContain("Maria");
});

test("each step of a migration run is one span in the trace of the request that started it", async () => {
  const { organization } = await seedBasics();
  const practice = await seedMigratingPractice(organization);
  const file = writeLines("patients.ndjson", [legacyPatient(1, { insurances: [legacyInsurance(10)] })]);
  const companies = writeLines("companies.ndjson", COMPANIES);
  const { traceId, spanId, traceparent } = newTrace();
  const run = await createCheckedRun(practice, file, { companies, traceparent });
  const spans = await waitForSpans(traceId, 2);
  expect(spans.map(({ name }) => name)).toEqual(["migration.reading", "migration.checking"]);
  for (const { parentSpanId, attributes } of spans) {
    expect(parentSpanId).toBe(spanId);
    expect(attributes).toEqual({ "crosswalk.run": run });
  }
});

describe.skipIf(!hasObjectStore)("the object store", () => {
  test("has a span for each operation", async () => {
    const store = await startObjectStore();
    const images = new S3ImageStore(store.settings);
    const { traceId, traceparent } = newTrace();
    await inSpan({ name: "work", parent: traceparent }, async () => {
      const key = randomUUID();
      await images.put(key, Buffer.from("an image"));
      await images.get(key);
    });
    const spans = await waitForSpans(traceId, 3);
    await store.stop();
    expect(spans.map(({ name }) => name)).toEqual(["images.put", "images.get", "work"]);
  });
});

test("nothing is traced after the end", async () => {
  const { traceId, traceparent } = newTrace();
  await inSpan({ name: "last", parent: traceparent }, async () => {});
  await tracing.stop();
  expect(spansOf(traceId)).toHaveLength(1);
  await inSpan({ name: "later", parent: traceparent }, async () => expect(currentTraceparent()).toEqual({}));
  expect(spansOf(traceId)).toHaveLength(1);
});
