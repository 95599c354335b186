// The contract of every operation for its path, methods and query.
import { expect } from "vitest";
import { z } from "zod";
import { call } from "../api";
import { VALIDATOR_MESSAGES } from "../bad-values";
import { METHODS } from "../world";
import { parametersOf } from "./access";
import { OPERATIONS, type Operation } from "./operations";
import type { Setting } from "./setting";

/** Returns the same response with and without a trailing slash, and never redirects. */
export async function ignoresTrailingSlash(
  { method, path, declaration }: Operation,
  { world }: Setting,
): Promise<void> {
  const { token } = world.basics;
  // Only a JSON record is read twice: files are slow, and a write would change something.
  const reads = method === "GET" && !declaration.produces;
  const where = world.at(path, reads ? [] : parametersOf(path));
  const [bare, slashed] = [await call(method, where, { token }), await call(method, `${where}/`, { token })];
  expect(slashed.status).toBe(bare.status);
  expect(bare.status < 300 || bare.status >= 400).toBe(true);
  if (bare.status !== 200) expect(slashed.body).toEqual(bare.body);
}

/** Lists the methods of the path in `Allow`: 405 for the others, 204 for OPTIONS. */
export async function rejectsOtherMethods({ path }: Operation, { world }: Setting): Promise<void> {
  const declared: string[] = OPERATIONS.filter((other) => other.path === path).map(({ method }) => method);
  const allowed = [...declared, ...(declared.includes("GET") ? ["HEAD"] : []), "OPTIONS"].sort();
  const allowedBy = (headers: Headers) => headers.get("allow")?.split(", ").sort();
  const options = await call("OPTIONS", world.at(path));
  expect([options.status, allowedBy(options.headers)]).toEqual([204, allowed]);
  for (const method of [...METHODS, "HEAD"].filter((name) => !allowed.includes(name))) {
    const { status, body, headers } = await call(method, world.at(path), { token: world.basics.token });
    expect([method, status, allowedBy(headers)]).toEqual([method, 405, allowed]);
    if (method !== "HEAD") expect(body.code).toBe("method_not_allowed");
  }
}

const MALFORMED_IDS = [
  "0",
  "-1",
  "+1",
  "1e3",
  "1.0",
  "0x1",
  "9223372036854775807",
  "9223372036854775808",
  "99999999999999999999",
  "%00",
  "1%00",
  "%ff",
  "%zz",
  "%",
  "%2e%2e",
  "..%2f1",
  "1%2f1",
  "%F0%9F%92%8A",
  "%D9%A1",
  "null",
  "undefined",
  "NaN",
  "constructor",
  "__proto__",
  "'",
  "1;DROP%20TABLE%20patient",
  "a".repeat(4000),
  "%20",
  "1%20",
  "*",
  "[id]",
  "{id}",
];
/** One of each kind. */
const SOME_MALFORMED_IDS = [
  "-1",
  "1.0",
  "9223372036854775808",
  "1%00",
  "%ff",
  "%2e%2e",
  "constructor",
  "a".repeat(4000),
];

const jsonSchemaOf = (schema: unknown) =>
  JSON.stringify(z.toJSONSchema(schema as z.ZodType, { io: "input", unrepresentable: "any" }));

/** The first operation with each kind of path parameter; the others read theirs with the same code. */
const firstWithParameter = new Map(
  OPERATIONS.toReversed().flatMap((operation) =>
    Object.entries(operation.declaration.params ?? {}).map(([name, schema]) => [
      `${operation.method === "GET"} ${name} ${jsonSchemaOf(schema)}`,
      operation,
    ]),
  ),
);
const readsParameterFirst = new Set(firstWithParameter.values());

/** Returns 404 if a path parameter is not an ID. */
export async function treatsMalformedIdsAsUnknown(operation: Operation, { world, exchange }: Setting): Promise<void> {
  const { method, path } = operation;
  const segments = readsParameterFirst.has(operation) ? MALFORMED_IDS : SOME_MALFORMED_IDS;
  for (const name of parametersOf(path)) {
    for (const segment of segments) {
      const target = world.at(path.replace(`[${name}]`, "@@")).replace("@@", segment);
      const status = await exchange(method, `/api/2.0/${target}?rank=1`, {});
      // A dot segment changes the path; a write may reject its missing body first.
      const expected = segment === "%2e%2e" ? [400] : method === "GET" ? [404] : [404, 415];
      expect([segment, expected.includes(status), status]).toEqual([segment, true, status]);
    }
  }
}

const ODD_VALUES = [
  "%00",
  "a%00b",
  "%ff",
  "%F0%9F%92%8A",
  "-1",
  "1.5",
  "1e3",
  "99999999999999999999",
  "NaN",
  "[]",
  "{}",
  "'",
  "\\",
  "%25",
  "true",
  "null",
  "x".repeat(5000),
  "0000-01-01",
  "2023-02-30",
  "9999-12-31",
  "%20",
  "",
];
const ODD_TIMES = [
  "0000-01-01T00:00:00Z",
  "0001-01-01T00:00:00Z",
  "9999-12-31T23:59:59Z",
  "9999-12-31T23:59:59-15:59",
  "%2B999999-01-01T00:00:00Z",
  "-000001-01-01T00:00:00Z",
  "2026-01-01T00:00:00%2B16:00",
  "2026-01-01T00:00:00-23:59",
  "2026-01-01T00:00:00+05:30",
  "2026-01-01T24:00:00Z",
  "2026-01-01T23:59:60Z",
  "2026-01-01T00:00:00",
  "2026-01-01T00:00",
  "2026-01-01",
  "infinity",
  "now",
  "today",
  "epoch",
  "2026-02-30T00:00:00Z",
  `2026-01-01T00:00:00.${"9".repeat(300)}Z`,
  "1767225600",
  "BC",
];
const takesTime = (name: string) => /date|dob|as_of|modified/.test(name);

/**
 * Rejects wrong query parameters by name and never fails on those it accepts. Each value is sent to all parameters at once;
 * those that the response names are then removed, until the operation accepts the rest.
 */
export async function rejectsWrongQueryByName({ method, path, declaration }: Operation, { world }: Setting) {
  const names = Object.keys(declaration.query ?? {});
  // A write with a valid query must find nothing to change.
  const target = method === "GET" ? world.at(path) : world.at(path, ["id"]);
  const rejectedValues = new Map<string, string>();
  const send = async (query: string) => {
    const response = await call(method, `${target}?${query}`, { token: world.basics.token });
    expect([query.slice(0, 200), response.status < 500]).toEqual([query.slice(0, 200), true]);
    if (response.status === 400) expect(JSON.stringify(response.body)).not.toMatch(VALIDATOR_MESSAGES);
    return response;
  };
  for (const [value, receivers] of [
    ...ODD_VALUES.map((value) => [value, names] as const),
    ...ODD_TIMES.map((value) => [value, names.filter(takesTime)] as const),
  ]) {
    for (let sent = receivers; sent.length > 0; ) {
      const { status, body } = await send(sent.map((name) => `${name}=${value}`).join("&"));
      const named = sent.filter((name) => Object.hasOwn(body, name));
      if (value.includes("%00")) expect([value, status, named.length]).toEqual([value, 400, 1]);
      if (status !== 400) break;
      if (method === "GET") expect(Object.keys(body).sort()).toEqual(named.toSorted());
      if (named.length === 0) break;
      for (const name of named) rejectedValues.set(name, value);
      sent = sent.filter((name) => !named.includes(name));
    }
  }
  for (const [name, value] of rejectedValues) {
    const { status, body } = await send(`${name}=${value}`);
    // A write may also require another parameter.
    const named = method === "GET" ? [name] : expect.arrayContaining([name]);
    expect([name, value, status, Object.keys(body)]).toEqual([name, value, 400, named]);
  }
  await send(names.flatMap((name) => [`${name}=1`, `${name}=1`]).join("&"));
}

/** Returns whether an operation offers a dry run. */
/** Rejects If-Match, because it has no version to compare it with. */
export async function rejectsIfMatch({ method, path }: Operation, { world }: Setting): Promise<void> {
  const { token } = world.basics;
  for (const tag of ['"999"', "*"]) {
    const { status, body } = await call(method, `${world.at(path)}?rank=1&side=1`, {
      token,
      headers: { "if-match": tag },
    });
    expect([tag, status, body.code]).toEqual([tag, 400, "if_match_not_offered"]);
  }
}

export const offersDryRun = ({ declaration }: Operation) => "dry_run" in (declaration.query ?? {});

/** Accepts `dry_run` as true or false if it offers dry runs, and otherwise rejects it, because the write would be real. */
export async function takesOrRejectsDryRun(operation: Operation, { world }: Setting): Promise<void> {
  const { method, path } = operation;
  const { token } = world.basics;
  const queries = ["dry_run=yes", "dry_run=", "dry_run=1", "dry_run=true&dry_run=false"];
  for (const query of offersDryRun(operation) ? queries : ["rank=1&side=1&dry_run=true"]) {
    const { status, body } = await call(method, `${world.at(path)}?${query}`, { token, body: {} });
    expect([query, status, body]).toEqual([query, 400, { dry_run: [expect.any(String)] }]);
  }
}
