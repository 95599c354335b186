// Unusual bodies, most of them invalid: none may crash the server, and none that is rejected may store anything.
import fc from "fast-check";
import { expect } from "vitest";
import { bodyWithValues, extremeValues, fieldsOf, names } from "../bad-values";
import { rounds } from "../rounds";
import { snapshot } from "../snapshot";
import type { World } from "../world";
import { bodySchemaOf, sendBody, validBodyOf } from "./bodies";
import { OPERATIONS, type Operation } from "./operations";

/** Set it to repeat a run; printed with a failure. */
const SEED = Number(process.env.TEST_SEED ?? Date.now() % 1_000_000);
const RANDOM_BODIES = rounds(8);

/** The operations whose fields no earlier operation reads: POST, PUT and PATCH read and store them with the same code. */
const firstWithFields = new Map(
  OPERATIONS.toReversed().flatMap((operation) => {
    const schema = bodySchemaOf(operation);
    return schema ? [[JSON.stringify([schema.properties, schema.items]), operation] as const] : [];
  }),
);
const readsFieldsFirst = new Set(firstWithFields.values());

/** Survives the largest and oddest values that its fields accept, and returns texts as they were sent. */
export async function survivesExtremes(operation: Operation, world: World): Promise<void> {
  const schema = bodySchemaOf(operation);
  if (!schema || !readsFieldsFirst.has(operation)) return;
  const fields = fieldsOf(schema).map((field) => extremeValues(field));
  for (let round = 0; round < Math.max(...fields.map(({ length }) => length)); round++) {
    let extremes = fields.flatMap((values) => values[round] ?? []);
    // A rejected field must not hide the others, so it is removed and the rest is sent again.
    for (let tries = 0; tries < 10 && extremes.length > 0; tries++) {
      const text = bodyWithValues(validBodyOf(operation, schema, world), extremes);
      const { status, body } = await sendBody(operation, world, text);
      if (status < 300) for (const { path, value } of extremes) expectKept(path, value, body);
      if (status !== 400) break;
      const others = extremes.filter(({ path: [top] }) => !names(body, String(top)));
      if (others.length === extremes.length) break;
      extremes = others;
    }
  }
}

/** Expects that a string is returned without outer spaces; amounts and times are normalized. */
function expectKept([top, ...below]: readonly (string | number)[], sent: unknown, response: Record<string, unknown>) {
  const given = response?.[String(top)];
  if (below.length > 0 || typeof sent !== "string" || typeof given !== "string") return;
  if (!["copay", "deductible", "start_time", "end_time"].includes(String(top))) expect(given).toBe(sent.trim());
}

const PROTOTYPE_NAMES = ["__proto__", "constructor", "toString", "hasOwnProperty", ""];

/** Survives fields that are named after members of Object.prototype, and duplicate fields. */
export async function survivesOddFieldNames(operation: Operation, world: World): Promise<void> {
  const schema = bodySchemaOf(operation);
  if (!schema || schema.type === "array") return;
  const text = JSON.stringify(validBodyOf(operation, schema, world)).slice(0, -1);
  const separator = text === "{" ? "" : ",";
  for (const key of PROTOTYPE_NAMES) {
    const before = await snapshot();
    const { status, body } = await sendBody(
      operation,
      world,
      `${text}${separator}${JSON.stringify(key)}:{"status":"x"}}`,
    );
    if (schema.additionalProperties === false) expect([key, status, Object.keys(body)]).toEqual([key, 400, [key]]);
    if (status >= 400) expect(await snapshot()).toEqual(before);
  }
  const [first = "x"] = Object.keys(schema.properties ?? {});
  await sendBody(operation, world, `{${JSON.stringify(first)}:[],${JSON.stringify(first)}:{}}`);
  expect(({} as Record<string, unknown>).status).toBeUndefined();
}

/** Survives any JSON, and stores nothing that it rejects. */
export async function survivesAnyJson(operation: Operation, world: World): Promise<void> {
  const schema = bodySchemaOf(operation);
  if (!schema) return;
  const known = Object.keys(schema.properties ?? schema.items?.properties ?? { x: 1 });
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 4 }),
    fc.string({ unit: "binary" }),
    fc.integer(),
    fc.double(),
    fc.constantFrom(null, "", "2020-02-29", 1, 2, 3, "primary", "1.00", true, "Maria", [], {}),
  );
  const fields = fc.dictionary(fc.oneof(fc.constantFrom(...known), fc.string()), value, { maxKeys: 8 });
  const base = validBodyOf(operation, schema, world);
  const entry = fields.map((sent) => ({ ...(Array.isArray(base) ? {} : (base as object)), ...sent }));
  const isList = schema.type === "array";
  const body = isList ? fc.array(entry, { maxLength: 5 }) : fc.oneof(entry, entry, fc.jsonValue());
  let before = await snapshot();
  await fc.assert(
    fc.asyncProperty(body, async (sent) => {
      const { status } = await sendBody(operation, world, JSON.stringify(sent));
      const after = await snapshot();
      if (status >= 400) expect(after).toEqual(before);
      before = after;
    }),
    { seed: SEED, numRuns: RANDOM_BODIES, endOnFailure: true },
  );
}
