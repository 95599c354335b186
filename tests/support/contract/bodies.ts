// The contract of every operation that reads a JSON body: media type, syntax, size, and each wrong value rejected by
// field name.
import { expect } from "vitest";
import { type ApiResponse, call } from "../api";
import {
  badValues,
  bodyWith,
  fieldsOf,
  inputSchema,
  nameOf,
  names,
  roundsOf,
  sampleOf,
  VALIDATOR_MESSAGES,
} from "../bad-values";
import type { World } from "../world";
import type { Operation } from "./operations";
import type { Setting } from "./setting";

type InputSchema = ReturnType<typeof inputSchema>;

/** Returns the JSON schema of an operation's body, or null if it reads none. */
export function bodySchemaOf({ declaration }: Operation): InputSchema | null {
  return declaration.body?.schema ? inputSchema(declaration.body.schema) : null;
}

/** Sends a body as JSON text. Errors must use the API's wording. */
export async function sendBody(operation: Operation, world: World, body: string | Uint8Array): Promise<ApiResponse> {
  // Lenient handling accepts some of the values that the description forbids.
  const headers = { "content-type": "application/json", prefer: "handling=strict" };
  const options = { token: world.basics.token, body, headers };
  const response = await call(operation.method, world.at(operation.path), options);
  expect([body.slice(0, 200), response.status < 500]).toEqual([body.slice(0, 200), true]);
  if (response.status === 400) expect(JSON.stringify(response.body)).not.toMatch(VALIDATOR_MESSAGES);
  return response;
}

/** Returns a body that the operation accepts, or one of the right shape if none is known. */
export function validBodyOf({ path }: Operation, schema: InputSchema, world: World): unknown {
  if (world.bodies[path] !== undefined) return world.bodies[path];
  const required = schema.required ?? [];
  return Object.fromEntries(required.map((name) => [name, sampleOf(schema.properties?.[name] ?? {})]));
}

const OTHER_TYPES = [
  "text/plain",
  "application/xml",
  "application/x-www-form-urlencoded",
  "application/jsonx",
  "application/json; charset=utf-16",
  'application/json; charset="iso-8859-1"',
  "",
];

/** Returns 415 for any media type that it does not read, for a missing one, for any charset other than UTF-8, and for compression. */
export async function rejectsOtherMediaTypes({ method, path }: Operation, { world }: Setting): Promise<void> {
  const { token } = world.basics;
  for (const type of OTHER_TYPES) {
    const response = await call(method, world.at(path), { token, body: "{}", headers: { "content-type": type } });
    expect([type, response.status, response.body.code]).toEqual([type, 415, "unsupported_media_type"]);
    expect(response.body.detail).toContain("application/json");
  }
  const untyped = new TextEncoder().encode("{}");
  expect((await call(method, world.at(path), { token, body: untyped })).status).toBe(415);
  expect((await call(method, world.at(path), { token })).status).toBe(415);
  const headers = { "content-type": "application/json", "content-encoding": "gzip" };
  const compressed = await call(method, world.at(path), { token, body: "{}", headers });
  expect([compressed.status, compressed.headers.get("accept-encoding")]).toEqual([415, "identity"]);
}

const NO_JSON = ["{", "{'a': 1}", "[1,]", "undefined", "NaN", '{"a": 01}', '"\u0001"', "\ufeff\ufeff{}"];

/** Returns 400 for malformed JSON, for an empty body, and for bytes that are not UTF-8. */
export async function rejectsMalformedJson(operation: Operation, { world }: Setting): Promise<void> {
  for (const text of NO_JSON) {
    const { status, body } = await sendBody(operation, world, text);
    expect([text, status, body.code]).toEqual([text, 400, "invalid_json"]);
  }
  for (const text of ["", "  \n"]) {
    const { status, body } = await sendBody(operation, world, text);
    expect([status, Object.keys(body)]).toEqual([400, ["non_field_errors"]]);
  }
  const latin1 = Uint8Array.from([0x7b, 0x22, 0xe9, 0x22, 0x3a, 0x31, 0x7d]);
  const { status, body } = await sendBody(operation, world, latin1);
  expect([status, body.code]).toEqual([400, "invalid_encoding"]);
}

/** Larger than what `badValues` sends, and small enough to send to every operation. */
export const MAX_BODY_BYTES = 1_500_000;
const TOO_LARGE = JSON.stringify({ padding: "x".repeat(MAX_BODY_BYTES) });

/** Returns 413 for a body that exceeds the configured size, or declares that it does. */
export async function rejectsLargeBodies(operation: Operation, { world }: Setting): Promise<void> {
  const headers = { "content-type": "application/json", "content-length": String(MAX_BODY_BYTES + 1) };
  const options = { token: world.basics.token, body: "{}", headers };
  const announced = await call(operation.method, world.at(operation.path), options);
  expect([announced.status, announced.body.code]).toEqual([413, "payload_too_large"]);
  const sent = await sendBody(operation, world, TOO_LARGE);
  expect([sent.status, sent.body.code]).toEqual([413, "payload_too_large"]);
}

/** Rejects a body of another JSON type as a whole. */
export async function rejectsOtherKindsOfBody(operation: Operation, { world }: Setting, schema: InputSchema) {
  const otherKind = schema.type === "array" ? "{}" : "[]";
  const deep = `${"[".repeat(5000)}${"]".repeat(5000)}`;
  for (const text of ["null", "1", '"text"', "true", otherKind, "1e400", deep, `[${"1,".repeat(10_000)}1]`]) {
    const { status, body } = await sendBody(operation, world, text);
    expect([text.slice(0, 20), status, Object.keys(body)]).toEqual([text.slice(0, 20), 400, ["non_field_errors"]]);
  }
}

/** Rejects each wrong value by the field's name, and every missing required field. */
export async function rejectsWrongValuesByName(operation: Operation, { world }: Setting, schema: InputSchema) {
  const base = validBodyOf(operation, schema, world);
  const isList = schema.type === "array";
  const violations: string[] = [];
  const fields = fieldsOf(schema).map((field, index) =>
    badValues(field, { anywhere: index % 10 === 0, huge: index === 0 }),
  );
  for (const bads of roundsOf(fields)) {
    const { status, body } = await sendBody(operation, world, bodyWith(base, ...bads));
    for (const bad of bads) {
      const name = nameOf(bad);
      // In a body that is a list, unstorable values are reported for the whole.
      const isNamed = name === undefined || names(body, name) || (isList && names(body, "non_field_errors"));
      if (status !== 400 || !isNamed)
        violations.push(`${bad.path.join(".")}: ${bad.what}: ${status} ${JSON.stringify(body).slice(0, 80)}`);
    }
  }
  if (!isList && typeof base === "object" && base !== null) {
    for (const name of schema.required ?? []) {
      const { [name]: _left, ...others } = base as Record<string, unknown>;
      const { status, body } = await sendBody(operation, world, JSON.stringify(others));
      if (status !== 400 || !names(body, name)) violations.push(`without ${name}: ${status}`);
    }
  }
  expect(violations).toEqual([]);
}
