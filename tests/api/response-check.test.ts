// Outside production, a response that differs from its endpoint's declaration fails and names the place.
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { EndpointDocumentation } from "@/lib/access/endpoints/declaration";
import { dryRunQuery, endpoint } from "@/lib/access/endpoints/endpoint";
import { loadConfig } from "@/lib/platform/config";
import type { Reply } from "@/lib/platform/http/response";

const response = z.object({
  id: z.int(),
  name: z.string().nullable(),
  tags: z.array(z.object({ word: z.string() })).optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
});
const right = { id: 1, name: null, tags: [{ word: "a" }], metadata: { anything: { at: "all" } } };

/** Returns an endpoint's response, given its declaration and its handler's reply. */
async function respond(
  reply: Reply,
  url = "http://localhost/api/2.0/things",
  also: Partial<EndpointDocumentation> = {},
) {
  const handler = endpoint({
    name: "things.get",
    scope: "public",
    query: dryRunQuery,
    response,
    status: 200,
    ...also,
    handle: async () => reply,
  });
  const sent = await handler(new Request(url));
  return [sent.status, (await sent.json()).detail ?? null];
}

describe("a response", () => {
  test("is sent if it matches the declaration of its endpoint", async () => {
    expect(await respond({ body: right })).toEqual([200, null]);
    expect(await respond({ body: { id: 1, name: "a", tags: undefined } })).toEqual([200, null]);
  });

  test.each([
    ["has an undeclared field", { ...right, extra: 1 }, "extra: is not declared"],
    [
      "has an undeclared field deep within",
      { ...right, tags: [{ word: "a" }, { word: "b", more: 1 }] },
      "tags.1.more: is not declared",
    ],
    ["lacks a field", { id: 1 }, "name: Invalid input: expected string, received undefined"],
    ["has a value of another type", { ...right, tags: [{ word: 1 }] }, "tags.0.word: Invalid input"],
    ["is not an object", [right], "the body: Invalid input"],
    ["is nothing", undefined, "the body: Invalid input"],
  ])("that %s becomes a 500 that names the endpoint and the place, but not the value", async (_what, body, problem) => {
    const [status, detail] = await respond({ body });
    expect(status).toBe(500);
    expect(detail).toContain(`The response of things.get is not what it declares: ${problem}`);
  });

  test("is checked as a dry run if the request was one", async () => {
    const effects = [{ kind: "created", policy: 1, rank: 1, card_images: 0, changed_fields: [] }];
    const url = "http://localhost/api/2.0/things?dry_run=true";
    expect(await respond({ body: { effects, result: right } }, url)).toEqual([200, null]);
    expect((await respond({ body: { effects: [{}], result: right } }, url))[0]).toBe(500);
    expect((await respond({ body: right }, url))[0]).toBe(500);
  });

  test.each<[string, Reply, Partial<EndpointDocumentation>, string]>([
    ["has an undeclared header", { body: right, headers: { etag: '"1"' } }, {}, "ETag: is not declared"],
    [
      "lacks a declared header",
      { body: right },
      { headers: ["Location", "ETag"] },
      "Location: is missing; ETag: is missing",
    ],
    ["is a 304 without a version", { status: 304 }, { headers: ["ETag"] }, "ETag: is missing"],
    [
      "is a file of an undeclared type",
      { file: { bytes: new Uint8Array(1), contentType: "text/html; charset=utf-8", filename: "a" } },
      { produces: ["application/pdf"] },
      "text/html: is not declared",
    ],
  ])("that %s becomes a 500 as well", async (_what, reply, declared, problem) => {
    const [status, detail] = await respond(reply, undefined, declared);
    expect(status).toBe(500);
    expect(detail).toContain(`The response of things.get is not what it declares: ${problem}`);
  });

  test("may omit a header that does not apply, and may add standard HTTP headers", async () => {
    const headers = { etag: '"1"', "cache-control": "no-store" };
    expect(await respond({ body: right, headers }, undefined, { headers: ["ETag", "Deprecation"] })).toEqual([
      200,
      null,
    ]);
  });

  test("is not checked if its status is not the declared one", async () => {
    expect(await respond({ status: 202, body: { detail: "later" } })).toEqual([202, "later"]);
  });

  test("is checked outside production unless a setting says otherwise", () => {
    const needed = { DATABASE_URL: "postgresql://user@localhost/crosswalk", SECRET_KEY: "k".repeat(32) };
    expect(loadConfig({ ...needed, NODE_ENV: "production" }).CHECK_RESPONSES).toBe(false);
    expect(loadConfig({ ...needed, NODE_ENV: "development" }).CHECK_RESPONSES).toBe(true);
    expect(loadConfig({ ...needed, NODE_ENV: "production", CHECK_RESPONSES: "true" }).CHECK_RESPONSES).toBe(true);
    expect(loadConfig({ ...needed, NODE_ENV: "test", CHECK_RESPONSES: "false" }).CHECK_RESPONSES).toBe(false);
  });
});
