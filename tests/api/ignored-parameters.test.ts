// Query parameters that an operation does not have: ignored and named in a header, or rejected under `Prefer: handling=strict`.
import { beforeAll, describe, expect, test } from "vitest";
import { type Basics, call, seedBasics, seedPatient } from "@/tests/support/api";

let basics: Basics;
let patient: number;

beforeAll(async () => {
  basics = await seedBasics();
  patient = await seedPatient(basics.enabled, basics.physicians.enabled);
});

const request = (method: string, path: string, options: { prefer?: string; body?: unknown } = {}) =>
  call(method, path, {
    token: basics.token,
    body: options.body,
    headers: options.prefer === undefined ? {} : { prefer: options.prefer },
  });

/** Returns the status and what the headers say about the query. */
async function outcome(...sent: Parameters<typeof request>) {
  const { status, headers } = await request(...sent);
  return [status, headers.get("x-ignored-parameters"), headers.get("preference-applied")];
}

describe("X-Ignored-Parameters", () => {
  test.each([
    ["patients/?last_nam=Lopez&limit=1&page=2&page=3", "last_nam, page"],
    ["patients/?limit=1", null],
    ["patients/", null],
    ["patients/?dry_run=true", "dry_run"],
    ["openapi.json?version=3", "version"],
  ])("of GET %s is %s", async (path, names) => {
    expect(await outcome("GET", path)).toEqual([200, names, null]);
  });

  test("names parameters of writes and of rejected requests", async () => {
    const body = { patient, name: "Latex" };
    expect(await outcome("POST", "allergies/?notify=1", { body })).toEqual([201, "notify", null]);
    expect(await outcome("POST", "allergies/?notify=1", { body: {} })).toEqual([400, "notify", null]);
    expect(await outcome("GET", "patients/?limit=0&sort=id")).toEqual([400, "sort", null]);
    expect(await outcome("GET", "patients/999999999/?expand=all")).toEqual([404, "expand", null]);
  });

  test("is percent-encoded, so that no name can add a header or another name", async () => {
    const names = ["a\r\nSet-Cookie: b=1", "c,d", "é", '"', "__proto__", "constructor"];
    const query = names.map((name) => `${encodeURIComponent(name)}=1`).join("&");
    const { headers } = await request("GET", `practices/?${query}`);
    const encoded = headers.get("x-ignored-parameters") ?? "";
    expect(encoded).toMatch(/^[\w%.!~*'(), -]*$/);
    expect(encoded.split(", ").map(decodeURIComponent)).toEqual(names);
    expect(headers.has("set-cookie")).toBe(false);
  });

  test("has at most 20 names of at most 50 characters", async () => {
    const many = Array.from({ length: 30 }, (_, index) => `${index}-${"😀".repeat(100)}=1`).join("&");
    const { headers } = await request("GET", `practices/?${many}`);
    const names = (headers.get("x-ignored-parameters") ?? "").split(", ").map(decodeURIComponent);
    expect(names).toHaveLength(20);
    expect(Math.max(...names.map(({ length }) => length))).toBe(50);
  });

  test("is absent if the caller is not authorized", async () => {
    const { status, headers } = await call("GET", "patients/?page=2");
    expect([status, headers.has("x-ignored-parameters")]).toEqual([401, false]);
  });
});

describe("Prefer: handling=strict", () => {
  const STRICT = "handling=strict";

  test.each([
    "handling=strict",
    "Handling = STRICT",
    'handling="strict"',
    "respond-async, handling=strict; q=1, wait=10",
    "handling=strict, handling=lenient",
  ])("is read from `%s`", async (prefer) => {
    expect(await outcome("GET", "patients/?page=2", { prefer })).toEqual([400, null, STRICT]);
  });

  test.each(["handling=lenient", "handling=lenient, handling=strict", "strict", "handling", "handling=stricter", ""])(
    "is not read from `%s`",
    async (prefer) => {
      expect(await outcome("GET", "patients/?page=2", { prefer })).toEqual([200, "page", null]);
    },
  );

  test("names each unknown parameter", async () => {
    const { status, body } = await request("GET", "patients/?last_nam=x&page=2&limit=1", { prefer: STRICT });
    expect([status, body]).toEqual([400, { last_nam: ["Unknown parameter."], page: ["Unknown parameter."] }]);
  });

  test("accepts known parameters, and says that it was applied", async () => {
    expect(await outcome("GET", "patients/?last_name=x", { prefer: STRICT })).toEqual([200, null, STRICT]);
    expect(await outcome("GET", "patients/", { prefer: STRICT })).toEqual([200, null, STRICT]);
  });

  test("writes nothing if a parameter of a write is unknown", async () => {
    const count = async () => (await request("GET", `allergies/?patient=${patient}`)).body.count;
    const before = await count();
    const body = { patient, name: "Peanuts" };
    expect(await outcome("POST", "allergies/?notify=1", { body, prefer: STRICT })).toEqual([400, null, STRICT]);
    expect(await count()).toBe(before);
  });
});
