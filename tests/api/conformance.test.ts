// Every operation of the description, walked with bodies made of its schema: the least, the most, anything between, and wrong
// ones. Only what is described is answered, and what is refused leaves nothing behind.
import Ajv2020, { type ValidateFunction } from "ajv/dist/2020";
import addFormats from "ajv-formats";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { apiRoutes } from "@/generated/api-routes";
import { resources } from "@/generated/resources";
import { describeApi } from "@/lib/api/openapi/document";
import type { JsonSchema, Operation } from "@/lib/api/openapi/schema";
import { db, sql } from "@/lib/platform/db/sql";
import { type Answer, call } from "../support/api";
import { VALIDATORS_WORDS } from "../support/bad-values";
import { brokenOf, filledIn, type Making, type Size, valuesOf } from "../support/generated-values";
import { knownOf, seedSample } from "../support/sample-records";
import { seedWorld, type World } from "../support/world";

const SEED = Number(process.env.CONFORMANCE_SEED ?? 20_261_122);
/** Random bodies of an operation, beside the least and the most. */
const RUNS = Number(process.env.CONFORMANCE_RUNS ?? 4);

const document = describeApi(apiRoutes);
const { schemas } = document.components as { schemas: Record<string, JsonSchema> };
const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
addFormats.default(ajv);
ajv.addSchema({ $id: "https://example.org/api", ...document });

interface Walked {
  method: string;
  path: string;
  operation: Operation;
}

const PLACE: Record<string, number> = { get: 0, post: 1, put: 2, patch: 3, delete: 4 };
/** What others belong to is deleted after them. */
const LATER = [
  /\/(visit_notes|medications|message_threads|reports|insurance_companies)\/\{id\}\/$|\/policies\/\{policy_id\}\/$/,
  /\/patients\/\{id\}\/$/,
];

/** Deletions last, and what others belong to after what belongs to it. */
const OPERATIONS: Walked[] = Object.entries(document.paths)
  .flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ method, path, operation })))
  .filter(({ path }) => !path.startsWith("/api/2.0/oauth2/"))
  .sort((a, b) => placeOf(a) - placeOf(b));

function placeOf({ method, path }: Walked): number {
  const later = LATER.findIndex((pattern) => pattern.test(path)) + 1;
  return (PLACE[method] ?? 0) + (method === "delete" ? later : 0);
}

/** Operations that no generated body can lead to their success, and why. */
const NEVER_SUCCEED: Record<string, string> = {
  "GET /api/2.0/card_images/{key}/": "its link has to be signed",
  "GET /api/2.0/files/{file_id}/": "its link has to be signed",
  "POST /api/2.0/patients/{id}/policies/{policy_id}/restore/": "the policy is active",
};

/** Operations whose example is refused for what there is, and not for what it says. */
const EXAMPLE_REFUSED: Record<string, string> = {
  "POST /api/2.0/patient-provider-team-members/": "the physician is in the team since the body before",
  "POST /api/2.0/reports/{id}/delegates/": "the report is routed there since the body before",
  "DELETE /api/2.0/reports/{id}/delegates/": "what was routed was taken back by the body before",
};

/** Query parameters an operation does nothing without. */
const QUERIES: Record<string, string> = { "DELETE /api/2.0/patients/{id}/insurance_cards/": "?rank=1&side=2" };

let world: World;
let requests = 0;
beforeAll(async () => {
  world = await seedWorld();
});
afterAll(() => {
  console.log(`${OPERATIONS.length} operations, ${requests} requests, seed ${SEED}`);
});

const DECLARED = new Map(resources.map((resource) => [resource.path ?? resource.name, resource]));
/** Paths take the folders' form again: `patients/[id]`. */
const folderOf = (path: string) =>
  path
    .replace("/api/2.0/", "")
    .replace(/\/$/, "")
    .replaceAll(/\{(\w+)\}/g, "[$1]");

function makingOf(path: string, size: Size): Making {
  const resource = DECLARED.get(folderOf(path).replace(/\/\[\w+\]$/, ""));
  const known = resource ? knownOf(resource, world.known, world.records) : world.known;
  return { schemas, size, known: { ...known, ...world.knownAt(folderOf(path)) } };
}

const compiled = new Map<string, ValidateFunction>();

/** What is wrong with an answer by its description; empty where nothing is. */
function complaintsOf(path: string, method: string, answer: Answer): string[] {
  const operation = document.paths[path]?.[method as "get"];
  const at = `${method} ${path} ${answer.status}`;
  const key = String(answer.status);
  let described = operation?.responses[key] as
    | { $ref?: string; headers?: object; content?: Record<string, { schema?: JsonSchema }> }
    | undefined;
  if (!described) return [`${at} is not described: ${JSON.stringify(answer.body)}`];
  let pointer = `#/paths/${escaped(path)}/${method}/responses/${key}`;
  if (described.$ref) {
    pointer = described.$ref;
    described = (document.components.responses as Record<string, typeof described>)[
      pointer.split("/").at(-1) as string
    ];
  }
  const headers = [...answer.headers.keys()].filter((name) => !OF_HTTP.has(name));
  const known = Object.keys(described?.headers ?? {}).map((name) => name.toLowerCase());
  const unknown = headers.filter((name) => !known.includes(name));
  if (unknown.length > 0) return [`${at} has headers that are not described: ${unknown.join(", ")}`];
  const type = answer.headers.get("content-type")?.split(";")[0] ?? "";
  const types = Object.keys(described?.content ?? {});
  if (type !== "" && !types.includes(type) && !types.includes("*/*")) return [`${at} is ${type}, described ${types}`];
  const schema = described?.content?.["application/json"]?.schema;
  if (!schema) return [];
  const $ref = `https://example.org/api${pointer}/content/application~1json/schema`;
  const validate = compiled.get(pointer) ?? ajv.compile({ $ref });
  compiled.set(pointer, validate);
  if (validate(answer.body)) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${at} ${instancePath} ${message}`);
}

/** Headers that say nothing of this API. */
const OF_HTTP = new Set([
  ...["cache-control", "content-type", "content-length", "content-encoding", "vary", "pragma"],
  ...["content-security-policy", "x-content-type-options"],
]);

const escaped = (path: string) => path.replaceAll("~", "~0").replaceAll("/", "~1");

/** How much there is of everything a request could leave behind. */
async function left(): Promise<string> {
  const row = await db.first<{ left: string }>(sql`
    SELECT concat_ws(' ', (SELECT count(*) FROM record_version), (SELECT count(*) FROM policy_version),
      (SELECT count(*) FROM patient_version), (SELECT count(*) FROM resource_record), (SELECT count(*) FROM resource_file),
      (SELECT count(*) FROM published_event), (SELECT count(*) FROM sync_event)) AS left`);
  return row?.left ?? "";
}

/** The example of an operation's body. */
function exampleOf({ requestBody }: Operation): unknown {
  const [example = { value: undefined }] = Object.values(requestBody?.content["application/json"]?.examples ?? {});
  const named = "$ref" in example ? document.components.examples[example.$ref.split("/").at(-1) as string] : example;
  return named?.value;
}

async function send({ method, path }: Walked, body?: unknown): Promise<Answer> {
  requests += 1;
  const query = QUERIES[`${method.toUpperCase()} ${path}`] ?? "";
  return call(method.toUpperCase(), `${world.at(folderOf(path))}${query}`, {
    token: world.basics.token,
    ...(body === undefined ? {} : { body }),
  });
}

describe("every operation of the description", () => {
  test.each(OPERATIONS.map((walked) => [walked.method.toUpperCase(), walked.path, walked] as const))(
    "%s %s",
    async (_method, path, walked) => {
      const { method, operation } = walked;
      const schema = operation.requestBody?.content["application/json"]?.schema;
      const problems: string[] = [];
      const statuses = new Set<number>();
      const check = async (what: string, body: unknown, isBroken: boolean) => {
        const before = await left();
        const answer = await send(walked, body);
        statuses.add(answer.status);
        const sent = `${what}: ${JSON.stringify(body)?.slice(0, 600)}`;
        problems.push(...complaintsOf(path, method, answer).map((complaint) => `${complaint} (${sent})`));
        if (answer.status >= 500) problems.push(`${answer.status} (${sent})`);
        if (answer.status === 400 && VALIDATORS_WORDS.test(JSON.stringify(answer.body)))
          problems.push(`${JSON.stringify(answer.body)} is in the validator's words (${sent})`);
        if (isBroken && answer.status < 400) problems.push(`${answer.status} for a body ${sent}`);
        if (answer.status >= 400 && before !== (await left()))
          problems.push(`${answer.status} left something (${sent})`);
        return answer;
      };
      if (method === "delete") await renew(path);
      if (!schema) {
        await check("no body", undefined, false);
      } else {
        const [least] = fc.sample(valuesOf(schema, makingOf(path, "minimal")), { numRuns: 1, seed: SEED });
        await check("the least", least, false);
        const [most] = fc.sample(valuesOf(schema, makingOf(path, "maximal")), { numRuns: 1, seed: SEED });
        await check("the most", most, false);
        const any = fc.sample(valuesOf(schema, makingOf(path, "any")), { numRuns: RUNS, seed: SEED });
        for (const body of any) await check("any", body, false);
        const shown = filledIn(exampleOf(operation), makingOf(path, "minimal"));
        const answer = await check("the example", shown, false);
        if (answer.status >= 400 && !(`${method.toUpperCase()} ${path}` in EXAMPLE_REFUSED))
          problems.push(`${answer.status} for the example: ${JSON.stringify(answer.body)} (${JSON.stringify(shown)})`);
        const isPatch = method === "patch";
        for (const { what, body } of brokenOf(schema, least as Record<string, unknown>, makingOf(path, "minimal")))
          if (!(isPatch && what.startsWith("without"))) await check(what, body, true);
      }
      expect(problems).toEqual([]);
      const succeeded = [...statuses].some((status) => status < 300);
      expect([...statuses, succeeded || `${method.toUpperCase()} ${path}` in NEVER_SUCCEED]).toContain(true);
    },
  );

  /** Before a deletion, a record that nothing refers to takes the place of the one that is there. */
  async function renew(path: string): Promise<void> {
    const name = folderOf(path).replace(/\/\[\w+\]$/, "");
    if (name.endsWith("subscriptions")) {
      const body = { resource: "physicians", target: `https://hooks.example.org/${name}` };
      const made = await call("POST", "subscriptions", { token: world.basics.token, body });
      return world.rename("subscriptions", made.body.id);
    }
    const resource = DECLARED.get(name);
    if (!resource || resource.operations.length === 0) return;
    const id = await seedSample(resource, world.owner, makingOf(path, "minimal").known);
    world.rename(resource.name, id);
  }
});
