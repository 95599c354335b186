// Hostile requests to every operation of the API and of the staff pages: none crashes the server, and stored data stays
// consistent. `bench/fuzz.ts` sends far more of them to a real server.
import { afterAll, describe, expect, test } from "vitest";
import { apiRoutes } from "@/generated/api-routes";
import { staffRoutes } from "@/generated/staff-routes";
import { db, sql } from "@/lib/platform/db/sql";
import { createRouteTable } from "@/lib/platform/http/route";
import { survivesAnyJson, survivesExtremes, survivesOddFieldNames } from "../support/contract/hostile-bodies";
import { OPERATIONS } from "../support/contract/operations";
import { describeRequest, type FuzzedOperation, type FuzzedRequest, fuzzedRequest } from "../support/fuzz";
import { apiSide, type FuzzedSide, staffSide } from "../support/fuzz-operations";
import { rounds } from "../support/rounds";
import { expectStoresAgree } from "../support/stores";
import { seedWorld } from "../support/world";

const ORIGIN = "http://localhost:3000";
/** Set them to repeat a run; both are printed with every failure. */
const SEED = Number(process.env.FUZZ_SEED ?? 14);
const EXAMPLES = rounds(4);

const world = await seedWorld();
const SIDES = [
  { title: "the API", side: await apiSide(world), match: createRouteTable(apiRoutes) },
  { title: "the staff pages", side: await staffSide(ORIGIN), match: createRouteTable(staffRoutes) },
];

const statuses = new Map<number, number>();
afterAll(() => {
  const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${count} × ${status}`);
  console.log(`seed ${SEED}, ${EXAMPLES} requests to each operation: ${counts.join(", ")}`);
});

describe.each(SIDES)("$title", ({ side, match }) => {
  const named = side.operations.map((operation) => [`${operation.method} ${operation.path}`, operation] as const);

  test.each(named)("%s", async (_name, operation) => {
    const failures: string[] = [];
    for (let example = 0; example < EXAMPLES; example++) {
      const request = fuzzedRequest(operation, SEED * 1_000 + example);
      const status = await send(side, match, operation, request);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status >= 500) failures.push(`${status}, FUZZ_SEED=${SEED}, example ${example}: ${describeRequest(request)}`);
    }
    expect(failures).toEqual([]);
    const ours = OPERATIONS.find(({ method, path }) => method === operation.method && path === operation.path);
    if (!ours || operation.root !== "/api/2.0/") return;
    await survivesExtremes(ours, world);
    await survivesOddFieldNames(ours, world);
    await survivesAnyJson(ours, world);
  });
});

test("both stores agree on every patient afterwards, and objects keep their properties", async () => {
  const patients = await db.rows<{ id: number }>(sql`SELECT id FROM patient ORDER BY id`);
  expect(patients.length).toBeGreaterThan(1);
  for (const { id } of patients) await expectStoresAgree(id);
  expect(Object.keys(Object.prototype)).toEqual([]);
  expect(({} as Record<string, unknown>).admin).toBeUndefined();
});

async function send(
  side: FuzzedSide,
  match: ReturnType<typeof createRouteTable>,
  { method }: FuzzedOperation,
  { target, headers, body }: FuzzedRequest,
): Promise<number> {
  const url = new URL(target, ORIGIN);
  const found = match(url.pathname.replace(/^\/api\/(2\.0|staff)/, ""));
  const handle = found?.module[method];
  if (!found || !handle) return 404;
  const send = async (renewed: boolean) => {
    const sent = new Headers({ host: "localhost:3000", ...(await side.credentials({ renewed })) });
    for (const [name, value] of headers) sent.set(name, value);
    const content = body === null || method === "GET" ? {} : { body: new Uint8Array(body) };
    const response = await handle(new Request(url, { method, headers: sent, ...content }), {
      params: Promise.resolve(found.params),
    });
    await response.arrayBuffer();
    return response.status;
  };
  const status = await send(false);
  return status === 401 ? send(true) : status;
}
