// Whatever a body holds: a 4xx that names the field, never a 5xx, and nothing stored (design §4).
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { type Answer, call } from "@/tests/support/api";
import {
  badValues,
  bodyWith,
  bodyWithValues,
  extremeValues,
  fieldsOf,
  inputSchema,
  nameOf,
  roundsOf,
  sampleOf,
  VALIDATORS_WORDS,
} from "@/tests/support/bad-values";
import { snapshot } from "@/tests/support/snapshot";
import { ENDPOINTS, type Endpoint, seedWorld, type World } from "@/tests/support/world";

/** Told with a failure, and settable to repeat it. */
const SEED = Number(process.env.TEST_SEED ?? Date.now() % 1_000_000);

let world: World;
beforeAll(async () => {
  world = await seedWorld();
});

const READING = ENDPOINTS.flatMap((endpoint) => {
  const schema = endpoint.declaration.body?.schema;
  return schema ? [[`${endpoint.method} ${endpoint.path}`, endpoint, inputSchema(schema)] as const] : [];
});

/** The first endpoint of each path's resource with these fields: POST, PUT and PATCH read and store them by the same code. */
const FIRST_OF_FIELDS = new Map(
  READING.toReversed().map(([name, , { properties, items }]) => [JSON.stringify({ properties, items }), name]),
);
const WITH_OWN_FIELDS = new Set(FIRST_OF_FIELDS.values());

/** A body this endpoint takes, or where none is known one of the right shape. */
function baseOf({ path }: Endpoint, schema: Parameters<typeof sampleOf>[0]): unknown {
  if (world.bodies[path] !== undefined) return world.bodies[path];
  const required = (schema as { required?: string[] }).required ?? [];
  return Object.fromEntries(required.map((name) => [name, sampleOf(schema.properties?.[name] ?? {})]));
}

/** Sends a body. Whatever is wrong with it is told in words of the API. */
async function send(endpoint: Endpoint, body: string | Uint8Array): Promise<Answer> {
  const { token } = world.basics;
  const headers = { "content-type": "application/json" };
  const answer = await call(endpoint.method, world.at(endpoint.path), { token, body, headers });
  if (answer.status === 400) expect(JSON.stringify(answer.body)).not.toMatch(VALIDATORS_WORDS);
  return answer;
}

/** Whether an answer names a field: as a key of its errors, however deep. */
function names(body: unknown, field: string): boolean {
  if (Array.isArray(body)) return body.some((entry) => names(entry, field));
  if (typeof body !== "object" || body === null) return false;
  return Object.entries(body).some(([key, value]) => key === field || names(value, field));
}

/** A text is answered as it was sent; an amount, brought to two decimals; outer space of a name goes. */
function expectKept(
  [top, ...below]: readonly (string | number)[],
  sent: unknown,
  answer: Record<string, unknown>,
): void {
  const given = answer?.[String(top)];
  if (below.length > 0 || typeof sent !== "string" || typeof given !== "string") return;
  if (!["copay", "deductible", "start_time", "end_time"].includes(String(top))) expect(given).toBe(sent.trim());
}

describe.each(READING.filter(([name]) => WITH_OWN_FIELDS.has(name)))("%s", (_name, endpoint, schema) => {
  test("survives the extremes of its fields, and keeps a text whole", async () => {
    const fields = fieldsOf(schema).map((field) => extremeValues(field));
    for (let round = 0; round < Math.max(...fields.map(({ length }) => length)); round++) {
      let extremes = fields.flatMap((values) => values[round] ?? []);
      // What one field's extreme is refused for must not hide the others: it is left out, and the rest is sent again.
      for (let tries = 0; tries < 10 && extremes.length > 0; tries++) {
        const text = bodyWithValues(baseOf(endpoint, schema), extremes);
        const { status, body } = await send(endpoint, text);
        expect([text.slice(0, 500), status < 500]).toEqual([text.slice(0, 500), true]);
        if (status < 300) for (const { path, value } of extremes) expectKept(path, value, body);
        if (status !== 400) break;
        const others = extremes.filter(({ path: [top] }) => !names(body, String(top)));
        if (others.length === extremes.length) break;
        extremes = others;
      }
    }
  });
});

describe.each(READING)("%s", (_name, endpoint, schema) => {
  const isList = schema.type === "array";

  test("refuses each wrong value of each field by the field's name, and stores nothing", async () => {
    const base = baseOf(endpoint, schema);
    const before = await snapshot();
    const wrongly: unknown[] = [];
    const fields = fieldsOf(schema).map((field, index) =>
      badValues(field, { anywhere: index % 10 === 0, huge: index === 0 }),
    );
    for (const bads of roundsOf(fields)) {
      const { status, body } = await send(endpoint, bodyWith(base, ...bads));
      for (const bad of bads) {
        const name = nameOf(bad);
        // A list as body: what can't even be kept is told of the whole.
        const named = name === undefined || names(body, name) || (isList && names(body, "non_field_errors"));
        if (status !== 400 || !named)
          wrongly.push(`${bad.path.join(".")}: ${bad.what}: ${status} ${JSON.stringify(body).slice(0, 80)}`);
      }
    }
    expect(wrongly).toEqual([]);
    expect(await snapshot()).toEqual(before);
  }, 60_000);

  test("refuses a body without a required field, naming it", async () => {
    const base = baseOf(endpoint, schema);
    if (isList || typeof base !== "object" || base === null) return;
    const before = await snapshot();
    for (const name of (schema as { required?: string[] }).required ?? []) {
      const { [name]: _left, ...others } = base as Record<string, unknown>;
      const { status, body } = await send(endpoint, JSON.stringify(others));
      expect([name, status, names(body, name)]).toEqual([name, 400, true]);
    }
    expect(await snapshot()).toEqual(before);
  });

  test("refuses a body that is no object, or no list, as a whole", async () => {
    const before = await snapshot();
    const wrong = [
      "null",
      "1",
      '"text"',
      "true",
      isList ? "{}" : "[]",
      "1e400",
      `${"[".repeat(5000)}${"]".repeat(5000)}`,
    ];
    for (const text of [...wrong, `[${"1,".repeat(10_000)}1]`]) {
      const { status, body } = await send(endpoint, text);
      expect([text.slice(0, 20), status, Object.keys(body)]).toEqual([text.slice(0, 20), 400, ["non_field_errors"]]);
    }
    expect(await snapshot()).toEqual(before);
  });

  test("survives fields with the names of Object.prototype, and a field sent twice", async () => {
    const base = baseOf(endpoint, schema);
    if (isList) return;
    const text = JSON.stringify(base).slice(0, -1);
    const more = text === "{" ? "" : ",";
    const strict = (schema as { additionalProperties?: unknown }).additionalProperties === false;
    for (const key of ["__proto__", "constructor", "toString", "hasOwnProperty", ""]) {
      const before = await snapshot();
      const { status, body } = await send(endpoint, `${text}${more}${JSON.stringify(key)}:{"status":"x"}}`);
      if (strict) expect([key, status, Object.keys(body)]).toEqual([key, 400, [key]]);
      expect(status).toBeLessThan(500);
      if (status >= 400) expect(await snapshot()).toEqual(before);
    }
    const [first = "x"] = Object.keys(schema.properties ?? {});
    const twice = await send(endpoint, `{${JSON.stringify(first)}:[],${JSON.stringify(first)}:{}}`);
    expect(twice.status).toBeLessThan(500);
    expect(({} as Record<string, unknown>).status).toBeUndefined();
  });

  test("survives whatever JSON there is", async () => {
    const known = Object.keys(schema.properties ?? schema.items?.properties ?? { x: 1 });
    const value = fc.oneof(
      fc.jsonValue({ maxDepth: 4 }),
      fc.string({ unit: "binary" }),
      fc.integer(),
      fc.double(),
      fc.constantFrom(null, "", "2020-02-29", 1, 2, 3, "primary", "1.00", true, "Maria", [], {}),
    );
    const fields = fc.dictionary(fc.oneof(fc.constantFrom(...known), fc.string()), value, { maxKeys: 8 });
    const entry = fields.map((sent) => ({
      ...(Array.isArray(baseOf(endpoint, schema)) ? {} : (baseOf(endpoint, schema) as object)),
      ...sent,
    }));
    const body = isList ? fc.array(entry, { maxLength: 5 }) : fc.oneof(entry, entry, fc.jsonValue());
    let before = await snapshot();
    await fc.assert(
      fc.asyncProperty(body, async (sent) => {
        const { status, body: told } = await send(endpoint, JSON.stringify(sent));
        expect([status < 500, told]).toEqual([true, told]);
        const after = await snapshot();
        if (status >= 400) expect(after).toEqual(before);
        before = after;
      }),
      { seed: SEED, numRuns: 8, endOnFailure: true },
    );
  }, 60_000);
});
