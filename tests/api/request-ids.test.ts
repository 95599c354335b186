// The log lines of a request, and of what it caused, have the ID that the client gets as X-Request-Id. This needs no traces.
import { afterEach, beforeAll, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { apiRoutes } from "@/generated/api-routes";
import { staffRoutes } from "@/generated/staff-routes";
import { withIdempotency } from "@/lib/access/endpoints/idempotency";
import { signInOptions } from "@/lib/access/staff/sign-in";
import { db, sql } from "@/lib/platform/db/sql";
import { createServer, listen } from "@/lib/platform/http/server";
import { log, originIds } from "@/lib/platform/log";
import { imageStore } from "@/lib/platform/storage/image-store";
import { toUnavailable } from "@/lib/platform/storage/store-failure";
import { type Basics, call, MARIA, seedBasics, seedPatient } from "../support/api";
import { imageContent } from "../support/images";
import { owner } from "../support/owner";
import { signInAs, staffCallAs } from "../support/staff";

const ID = "the-request-of-the-test";
const headers = { "x-request-id": ID };

let basics: Basics;
let token: string;
let patient: number;
let policy: string;
beforeAll(async () => {
  basics = await seedBasics();
  token = basics.token;
});
beforeEach(async () => {
  patient = await seedPatient(basics.enabled, basics.physicians.enabled);
  const { body } = await call("POST", `patients/${patient}/policies`, { token, body: { ...MARIA, rank: 1 } });
  policy = `patients/${patient}/policies/${body.id}`;
});
afterEach(() => vi.restoreAllMocks());

/** Collects log lines. Returns a function that lists those with a message. */
function collectLines() {
  const spies = (["info", "warn", "error"] as const).map((level) => vi.spyOn(log, level));
  return (message?: string): object[] =>
    spies.flatMap(({ mock }) =>
      mock.calls.filter((line: unknown[]) => line[1] === message).map(([fields]: unknown[]) => fields as object),
    );
}

test("an upload that the image store rejects", async () => {
  const linesOf = collectLines();
  vi.spyOn(imageStore(), "put").mockImplementation(async () => {
    throw toUnavailable("put", new Error("Lopez"));
  });
  const body = { image: await imageContent(1) };
  for (const given of [headers, { ...headers, "idempotency-key": "upload" }]) {
    const { status } = await call("POST", `${policy}/card-images`, { token, body, headers: given });
    expect(status).toBe(503);
  }
  const line = { request: ID, operation: "put", err: expect.objectContaining({ name: "StoreFailure" }) };
  expect(linesOf("the image store can't be used")).toEqual([line, line]);
});

test("an image that is missing from the store", async () => {
  const { body } = await call("POST", `${policy}/card-images`, { token, body: { image: await imageContent(2) } });
  const linesOf = collectLines();
  vi.spyOn(imageStore(), "get").mockResolvedValueOnce(null).mockResolvedValueOnce(Buffer.from("damaged"));
  expect((await call("GET", body.url, { headers })).status).toBe(404);
  expect((await call("GET", body.url, { headers })).status).toBe(503);
  expect(linesOf("a card image is missing from the store")).toMatchObject([{ request: ID }]);
  expect(linesOf("a card image is damaged in the store")).toMatchObject([{ request: ID }]);
});

test("a response that can't be stored for its Idempotency-Key", async () => {
  const { id } = await db.one<{ id: number }>(sql`SELECT id FROM oauth_client LIMIT 1`);
  const linesOf = collectLines();
  const use = { clientId: id, key: "nul", path: "/", content: "", oneTimeResponse: false, requestId: ID };
  const response = { status: 200, headers: {}, body: "\u0000" };
  await withIdempotency(use, async () => ({ response, patients: [], unnamed: [] }));
  expect(linesOf("an Idempotency-Key could not be updated")).toMatchObject([{ request: ID }]);
});

test("a sign-in that can't be checked", async () => {
  const linesOf = collectLines();
  const { callbacks, logger } = signInOptions(new Request("http://localhost:3000/", { headers }), vi.fn(), vi.fn());
  await owner.run(sql`ALTER TABLE staff_user RENAME TO staff_user_away`);
  onTestFinished(async () => void (await owner.run(sql`ALTER TABLE staff_user_away RENAME TO staff_user`)));
  const profile = { email: "robin@example.org", email_verified: true };
  const signIn = callbacks?.signIn?.({ account: { provider: "oidc" }, profile, user: {} } as never);
  await expect(signIn).rejects.toThrow("unavailable");
  expect(linesOf("could not check a sign-in")).toMatchObject([{ request: ID }]);
  logger?.error?.("CALLBACK", new Error("it failed"));
  expect(linesOf("next-auth failed")).toMatchObject([{ request: ID, code: "CALLBACK" }]);
});

test("a change that can't be replicated, and a write that waits for it", async () => {
  await owner.run(sql`ALTER TABLE patient_insurance ADD CONSTRAINT log_probe CHECK (member_id <> 'POISON') NOT VALID`);
  onTestFinished(async () => void (await owner.run(sql`ALTER TABLE patient_insurance DROP CONSTRAINT log_probe`)));
  const linesOf = collectLines();
  const change = await call("PATCH", policy, { token, body: { member_id: "POISON" }, headers });
  expect([change.status, change.headers.get("sync-status")]).toEqual([200, "pending"]);
  expect(linesOf("a replication event could not be applied")).toMatchObject([{ request: ID }]);
  const waiting = { "x-request-id": "the-request-that-waits" };
  const blocked = await call("PATCH", `patients/${patient}`, { token, body: { insurances: [] }, headers: waiting });
  expect([blocked.status, blocked.body.code]).toEqual([409, "stream_blocked"]);
  const line = { request: "the-request-that-waits", event: expect.any(Number) };
  expect(linesOf("a write waits for a change that can't be replicated")).toMatchObject([line]);
});

test("a call, with the ID of its caller instead of the name", async () => {
  const staff = await signInAs("staff", [basics.enabled]);
  const linesOf = collectLines();
  expect((await call("GET", "practices", { token, headers })).status).toBe(200);
  const path = `practices/${basics.enabled}/patients/${patient}/timeline`;
  expect((await staffCallAs(staff, "GET", path, { headers })).status).toBe(200);
  const line = { request: ID, endpoint: expect.any(String), status: 200, ms: expect.any(Number) };
  expect(linesOf()).toEqual([
    { ...line, client: expect.stringMatching(/^client \d+$/) },
    { ...line, client: `staff ${staff.userId}` },
  ]);
});

test("paths and methods that don't exist, and pages, but not files", async () => {
  const linesOf = collectLines();
  const pages = async (_request: unknown, response: { end: () => void }) => response.end();
  const server = createServer({ routes: { api: apiRoutes, staff: staffRoutes }, pages, trustProxy: false });
  const port = await listen(server, { port: 0, host: "127.0.0.1" });
  onTestFinished(() => void server.close());
  const ask = (path: string, method = "GET") =>
    fetch(`http://127.0.0.1:${port}${path}`, { method, headers: { ...headers, connection: "close" } });
  await ask("/_next/static/Lopez.js");
  expect((await ask("/api/2.0/nothing?last_name=Lopez")).status).toBe(404);
  expect((await ask("/api/2.0/practices", "DELETE")).status).toBe(405);
  expect((await ask("/patients?search=Lopez")).status).toBe(200);
  const line = { request: ID, ms: expect.any(Number) };
  await expect
    .poll(() => linesOf())
    .toEqual([
      { ...line, endpoint: "unknown", status: 404 },
      { ...line, endpoint: "unknown", status: 405 },
      { ...line, endpoint: "page", status: 200 },
    ]);
});

test("work that was stored with the IDs of its request", () => {
  const traceparent = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`;
  expect(originIds({ requestId: ID, traceparent })).toEqual({ request: ID, trace_id: "a".repeat(32) });
  expect(originIds({ requestId: null, traceparent: null })).toEqual({});
});
