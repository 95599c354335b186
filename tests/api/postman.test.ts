// The Postman collection that `npm run client -- FILE.json` writes, run by newman from top to bottom against a server.
import type http from "node:http";
import newman, { type NewmanRunSummary } from "newman";
import { afterAll, beforeAll, expect, test } from "vitest";
import { apiRoutes } from "@/generated/api-routes";
import { createServer, listen, stopServer } from "@/lib/platform/http/server";
import { type PostmanCollection, toPostmanCollection } from "@/scripts/lib/postman";
import { filledExample } from "../support/contract/described-behavior";
import { apiDescription, OPERATIONS } from "../support/contract/operations";
import { seedClient, type TestClient } from "../support/oauth";
import { seedWorld, type World } from "../support/world";

let world: World;
let collection: PostmanCollection;
let client: TestClient;
let server: http.Server;
let baseUrl: string;
beforeAll(async () => {
  world = await seedWorld();
  collection = await toPostmanCollection(describeWorld());
  client = await seedClient({ organizationId: world.basics.organization, practices: [world.basics.disabled] });
  const pages = async (_req: http.IncomingMessage, res: http.ServerResponse) => void res.end();
  server = createServer({ routes: { api: apiRoutes, staff: [] }, pages, trustProxy: false });
  baseUrl = `http://127.0.0.1:${await listen(server, { port: 0, host: "127.0.0.1" })}`;
});
afterAll(() => stopServer(server, 1_000));

/** Operations whose example lacks a field that the server requires if others are absent. */
const INCOMPLETE_EXAMPLES = new Set(["reports/[id]/delegates"]);

/** Returns the description with the records of the world in its examples. */
function describeWorld() {
  const document = structuredClone(apiDescription);
  for (const operation of OPERATIONS) {
    const { method, path, describedPath } = operation;
    const media = document.paths[describedPath]?.[method.toLowerCase()]?.requestBody?.content["application/json"];
    const value = INCOMPLETE_EXAMPLES.has(path) ? world.bodies[path] : filledExample(operation, world);
    if (media) media.examples = { example: { value } };
  }
  return document;
}

/** Runs a collection, and returns the methods and paths of its requests and what failed. */
async function run(collection: PostmanCollection, globals: Record<string, string>) {
  const values = Object.entries(globals).map(([key, value]) => ({ key, value, type: "any" as const }));
  const summary = await new Promise<NewmanRunSummary>((resolve, reject) =>
    newman.run({ collection, globals: { values }, reporters: [] }, (error, done) =>
      error ? reject(error) : resolve(done),
    ),
  );
  return {
    requests: summary.run.executions.map(({ item }) => item.name),
    failures: summary.run.failures.map(({ error, source, at }) => `${source?.name} ${at}: ${error.message}`),
  };
}

test("it gets a token with the client's credentials, and finds records by their lists", async () => {
  const folders = collection.item.filter(({ name }) => ["Practice", "Patient profile"].includes(name));
  const reads = folders.map(({ name, item }) => ({
    name,
    item: item.filter(({ request }) => request.method === "GET"),
  }));
  const { clientId: client_id, clientSecret: client_secret } = client;
  const variable = Object.entries({ baseUrl, client_id, client_secret }).map(([key, value]) => ({ key, value }));
  const { requests, failures } = await run({ ...collection, item: reads, variable }, {});
  expect(failures).toEqual([]);
  expect(requests).toEqual(expect.arrayContaining(["List patients", "Get a patient", "Get an allergy"]));
});

/** Requests that the collection skips, and why. */
const SKIPPED = {
  "Get the bytes of a record's file by its signed link": "the link must be signed",
  "Get the bytes of a card image by its signed link": "the link must be signed",
};

test("every request succeeds, with the records that the practice has", async () => {
  const { variable: _, ...withoutValues } = collection;
  const records = Object.fromEntries(Object.entries(world.records).map(([name, id]) => [`${name}_id`, String(id)]));
  const { clientId: client_id, clientSecret: client_secret } = client;
  const given = { ...records, ...world.below, baseUrl, client_id, client_secret, access_token: world.basics.token };
  const { requests, failures } = await run(withoutValues, given);
  expect(failures).toEqual([]);
  const all = collection.item.flatMap(({ item }) => item.map(({ name }) => name));
  expect(all).toHaveLength(OPERATIONS.length);
  expect(all.filter((name) => !requests.includes(name))).toEqual(Object.keys(SKIPPED));
});
