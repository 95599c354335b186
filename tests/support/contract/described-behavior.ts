// Calls operations with bodies generated from their description: minimal, maximal, random, the example, and what the
// description forbids. Responses must match the description, and rejected requests must store nothing.
import Ajv2020, { type ValidateFunction } from "ajv/dist/2020";
import addFormats from "ajv-formats";
import fc from "fast-check";
import { expect } from "vitest";
import { resources } from "@/generated/resources";
import type { Operation as Description, JsonSchema } from "@/lib/api/openapi/schema";
import { SECURITY_HEADERS } from "@/lib/platform/http/response";
import { type ApiResponse, call } from "../api";
import { names, VALIDATOR_MESSAGES } from "../bad-values";
import { brokenBodies, fillIn, type GenerationContext, type Size, valuesOf } from "../generated-values";
import { rounds } from "../rounds";
import { knownOf, seedSample } from "../sample-records";
import { snapshot } from "../snapshot";
import type { World } from "../world";
import { apiDescription, type Operation } from "./operations";
import type { Setting } from "./setting";

/** Set it to repeat a run. */
const SEED = Number(process.env.CONFORMANCE_SEED ?? 20_261_122);
/** Random bodies for each operation, in addition to the minimal and the maximal one. */
const RANDOM_BODIES = rounds(4);

const ID = "https://example.org/api";
const { schemas, responses } = apiDescription.components as {
  schemas: Record<string, JsonSchema>;
  responses: Record<string, DescribedResponse>;
};
interface DescribedResponse {
  $ref?: string;
  headers?: object;
  content?: Record<string, { schema?: JsonSchema }>;
}

const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
addFormats.default(ajv);
ajv.addSchema({ $id: ID, ...apiDescription });
const validators = new Map<string, ValidateFunction>();

/** Operations that no generated body can make succeed, and why. */
const NEVER_SUCCEED: Readonly<Record<string, string>> = {
  "GET card_images/[key]": "its link must be signed",
  "GET files/[file_id]": "its link must be signed",
  "POST patients/[id]/policies/[policy_id]/restore": "the policy is active",
};

/** Operations that reject their example because of the existing records, and why. */
const EXAMPLE_REJECTED: Readonly<Record<string, string>> = {
  "POST patient-provider-team-members": "an earlier body added the physician to the team",
  "POST reports/[id]/delegates": "an earlier body routed the report there",
  "DELETE reports/[id]/delegates": "an earlier body reversed the routing",
};

/** Query parameters that an operation requires. */
const QUERIES: Readonly<Record<string, string>> = { "DELETE patients/[id]/insurance_cards": "?rank=1&side=2" };

const DECLARED = new Map(resources.map((resource) => [resource.path ?? resource.name, resource]));
const titleOf = ({ method, path }: Operation) => `${method} ${path}`;
const collectionOf = (path: string) => path.replace(/\/\[\w+\]$/, "");

/** Returns what generated bodies of an operation need to know. */
export function generationContext({ path }: Pick<Operation, "path">, world: World, size: Size): GenerationContext {
  const resource = DECLARED.get(collectionOf(path));
  const known = resource ? knownOf(resource, world.known, world.records) : world.known;
  return { schemas, size, known: { ...known, ...world.knownAt(path) } };
}

/** Returns the example of an operation's body. */
function exampleOf({ requestBody }: Description): unknown {
  const [example = { value: undefined }] = Object.values(requestBody?.content["application/json"]?.examples ?? {});
  const named = "$ref" in example ? apiDescription.components.examples[nameIn(example.$ref)] : example;
  return named?.value;
}

/** Returns the example of an operation's body with the records of a world. */
export function filledExample(operation: Operation, world: World): unknown {
  return fillIn(exampleOf(operation.description), generationContext(operation, world, "minimal"));
}

const nameIn = (ref: string) => ref.split("/").at(-1) as string;
const escaped = (step: string) => step.replaceAll("~", "~0").replaceAll("/", "~1");

/** Headers of HTTP, which the description leaves out. */
const HTTP_HEADERS = new Set([
  "cache-control",
  "content-encoding",
  "content-length",
  "content-type",
  "pragma",
  "vary",
  ...SECURITY_HEADERS.map(([name]) => name),
]);

/** Lists the differences between a response and the description; empty if it matches. */
export function differencesFromDescription(
  { method, describedPath, description }: Operation,
  response: ApiResponse,
): string[] {
  const status = String(response.status);
  const declared = description.responses[status] as DescribedResponse | undefined;
  if (!declared) return [`${status} is not described: ${JSON.stringify(response.body)}`];
  const pointer = declared.$ref ?? `#/paths/${escaped(describedPath)}/${method.toLowerCase()}/responses/${status}`;
  const described = declared.$ref ? responses[nameIn(declared.$ref)] : declared;
  const known = Object.keys(described?.headers ?? {}).map((name) => name.toLowerCase());
  const unknown = [...response.headers.keys()].filter((name) => !HTTP_HEADERS.has(name) && !known.includes(name));
  if (unknown.length > 0) return [`${status} has headers that are not described: ${unknown.join(", ")}`];
  const type = response.headers.get("content-type")?.split(";")[0] ?? "";
  const types = Object.keys(described?.content ?? {});
  if (type !== "" && !types.includes(type) && !types.includes("*/*"))
    return [`${status} is ${type}, but the description has ${types.join(", ")}`];
  if (!described?.content?.["application/json"]?.schema) return [];
  const validate = validators.get(pointer) ?? ajv.compile({ $ref: `${ID}${pointer}/content/application~1json/schema` });
  validators.set(pointer, validate);
  if (validate(response.body)) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${status} ${instancePath} ${message}`);
}

/** Succeeds with valid bodies, rejects what the description forbids, and returns only described responses. */
export async function behavesAsDescribed(operation: Operation, { world }: Setting): Promise<void> {
  const { method, path, description } = operation;
  const problems: string[] = [];
  const statuses = new Set<number>();
  let stored = await snapshot();
  const send = async (what: string, body: unknown): Promise<ApiResponse> => {
    const response = await call(method, `${world.at(path)}${QUERIES[titleOf(operation)] ?? ""}`, {
      token: world.basics.token,
      ...(body === undefined ? {} : { body }),
      headers: { prefer: "handling=strict" },
    });
    statuses.add(response.status);
    const after = await snapshot();
    const found = differencesFromDescription(operation, response);
    if (response.status >= 500) found.push("failed");
    if (response.status === 400 && VALIDATOR_MESSAGES.test(JSON.stringify(response.body)))
      found.push(`uses the validator's wording: ${JSON.stringify(response.body)}`);
    if (response.status >= 400 && JSON.stringify(after) !== JSON.stringify(stored)) found.push("stored something");
    stored = after;
    problems.push(
      ...found.map((problem) => `${response.status} ${problem} (${what}: ${JSON.stringify(body)?.slice(0, 600)})`),
    );
    return response;
  };
  if (method === "DELETE" || endsWithSignature(operation)) {
    await replaceRecord(operation, world);
    stored = await snapshot();
  }
  const schema = description.requestBody?.content["application/json"]?.schema;
  if (!schema) await send("no body", undefined);
  else {
    const sample = (size: Size, numRuns = 1) =>
      fc.sample(valuesOf(schema, generationContext(operation, world, size)), { numRuns, seed: SEED });
    // First, because a random body can create what the example creates.
    const example = filledExample(operation, world);
    const response = await send("the example", example);
    if (response.status >= 400 && !(titleOf(operation) in EXAMPLE_REJECTED))
      problems.push(`${response.status} for the example: ${JSON.stringify([response.body, example])}`);
    const [least] = sample("minimal");
    await send("the least", least);
    await send("the most", sample("maximal")[0]);
    for (const body of sample("any", RANDOM_BODIES)) await send("any", body);
    const context = generationContext(operation, world, "minimal");
    for (const { what, fields, body } of brokenBodies(schema, least as object, context)) {
      const { status, body: error } = await send(what, body);
      const unnamed = fields.filter((field) => !names(error, field));
      if (status !== 400 || unnamed.length > 0)
        problems.push(`${status} for ${what}, not naming ${unnamed} (${JSON.stringify(body).slice(0, 600)})`);
    }
  }
  expect(problems).toEqual([]);
  const hasSucceeded = [...statuses].some((status) => status < 300);
  expect([[...statuses], hasSucceeded || titleOf(operation) in NEVER_SUCCEED]).toEqual([[...statuses], true]);
}

/** Returns whether an earlier operation may have signed the record, which can't be changed since. */
function endsWithSignature({ method, path }: Operation): boolean {
  return method === "PATCH" && DECLARED.get(collectionOf(path))?.requireChangeable !== undefined;
}

/** Replaces the record before a deletion with one that nothing references, or before a change with one that can be changed. */
async function replaceRecord(operation: Operation, world: World): Promise<void> {
  const collection = collectionOf(operation.path);
  if (collection.endsWith("subscriptions")) {
    const body = { resource: "physicians", target: `https://hooks.example.org/${collection}` };
    const created = await call("POST", "subscriptions", { token: world.basics.token, body });
    world.rename("subscriptions", created.body.id);
    return;
  }
  const resource = DECLARED.get(collection);
  if (!resource || resource.operations.length === 0) return;
  const id = await seedSample(resource, world.owner, generationContext(operation, world, "minimal").known);
  world.rename(resource.name, id);
}
