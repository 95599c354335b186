// What another organisation sees of ours: nothing, in the words in which an absent record is told of (design §1, §3).
import { beforeAll, describe, expect, test } from "vitest";
import { SCOPE_RESOURCES } from "@/lib/oauth/scopes";
import { type Answer, call, MARIA, seedPatient } from "@/tests/support/api";
import { snapshot } from "@/tests/support/snapshot";
import { ENDPOINTS, seedWorld, type World } from "@/tests/support/world";

process.env.RATE_LIMIT_PER_SECOND = "1000000";

const ABSENT = 999_999_999;
/** Resources whose records belong to no practice: everyone sees the same. */
const OWNERLESS = [
  "languages",
  "packaged_medication_labelers",
  "packaged_medications",
  "pharmacies",
  "reference_medications",
];
/** Every resource with records of a practice. */
const ROOTS = [...SCOPE_RESOURCES, "published_events", "subscriptions"].filter((name) => !OWNERLESS.includes(name));

const rootOf = (path: string) => path.replace(/^app\//, "").split("/")[0] as string;
const ADDRESSED = ENDPOINTS.filter(
  ({ path, declaration }) => path.includes("[") && declaration.scope !== "public" && !OWNERLESS.includes(rootOf(path)),
).map(({ method, path }) => [method, path] as const);

let world: World;
beforeAll(async () => {
  world = await seedWorld();
});

/** What an answer shows: everything but the headers that differ with every answer. */
function shown({ status, headers, body }: Answer) {
  const { "x-request-id": _id, ...others } = Object.fromEntries(headers);
  return { status, headers: others, body: JSON.stringify(body) };
}

const bodyFor = (method: string, path: string) =>
  method === "GET" || (method === "DELETE" && !path.endsWith("delegates")) ? {} : { body: world.bodies[path] };
const queryFor = (method: string, path: string) =>
  method === "DELETE" && path.endsWith("insurance_cards") ? "?rank=1" : "";

describe("404", () => {
  test.each(ADDRESSED)("%s %s answers a stranger exactly as an absent record", async (method, path) => {
    const send = (where: string) =>
      call(method, `${where}${queryFor(method, path)}`, { token: world.basics.stranger, ...bodyFor(method, path) });
    const before = await snapshot();
    const ours = await send(world.at(path));
    const absent = await send(world.at(path, ["id", "event_id"]));
    expect(ours.status).toBe(404);
    expect(shown(ours)).toEqual(shown(absent));
    expect(await snapshot()).toEqual(before);
  });

  test.each(ADDRESSED.filter(([, path]) => path.includes("[policy_id]")))(
    "%s %s finds our policy under no patient but its own",
    async (method, path) => {
      const theirs = await seedPatient(world.basics.foreign, world.basics.physicians.foreign);
      const sibling = await seedPatient(world.basics.disabled, world.basics.physicians.disabled);
      for (const [token, patient] of [
        [world.basics.stranger, theirs],
        [world.basics.token, sibling],
      ] as const) {
        const under = (where: string) => where.replace(/^patients\/\d+/, `patients/${patient}`);
        const send = (where: string) => call(method, under(where), { token, ...bodyFor(method, path) });
        const ours = await send(world.at(path));
        expect(ours.status).toBe(404);
        expect(shown(ours)).toEqual(shown(await send(world.at(path, ["policy_id"]))));
      }
    },
  );

  test("every resource with records of a practice is among those that were tried", () => {
    expect([...new Set(ADDRESSED.map(([, path]) => rootOf(path)))].sort()).toEqual([...ROOTS].sort());
  });
});

describe("400", () => {
  test.each([
    ["patients", () => ({ ...(world.bodies["patients/[id]"] as object) }), "caregiver_practice"],
    ["insurance_companies", () => world.bodies["insurance_companies/[id]"], "practice"],
    ["insurance_plans", () => world.bodies["insurance_plans/[id]"], "practice"],
  ])(
    "a stranger who creates %s in our practice reads what one of an absent practice reads",
    async (path, body, field) => {
      const send = (practice: number) =>
        call("POST", `${path}/`, { token: world.basics.stranger, body: { ...(body() as object), [field]: practice } });
      const before = await snapshot();
      const ours = await send(world.basics.disabled);
      expect([ours.status, Object.keys(ours.body)]).toEqual([400, [field]]);
      expect(shown(ours)).toEqual(shown(await send(ABSENT)));
      expect(await snapshot()).toEqual(before);
    },
  );

  test.each(["insurance_company", "insurance_plan"] as const)(
    "our %s in a stranger's policy reads as an absent one",
    async (field) => {
      const theirs = await seedPatient(world.basics.foreign, world.basics.physicians.foreign);
      const send = (id: number) =>
        call("POST", `patients/${theirs}/policies`, { token: world.basics.stranger, body: { ...MARIA, [field]: id } });
      const root = field === "insurance_company" ? "insurance_companies" : "insurance_plans";
      const ours = await send(world.records[root] as number);
      expect([ours.status, Object.keys(ours.body)]).toEqual([400, [field]]);
      expect(shown(ours)).toEqual(shown(await send(ABSENT)));
    },
  );
});

describe("200", () => {
  const lists = ROOTS.filter((root) => ENDPOINTS.some(({ method, path }) => method === "GET" && path === root));
  test.each(lists)("the list of %s shows a stranger nothing of ours", async (root) => {
    for (const query of ["", `?practice=${world.basics.disabled}`, "?offset=0&limit=100"]) {
      const { status, body } = await call("GET", `${root}/${query}`, { token: world.basics.stranger });
      expect(status).toBe(200);
      const ids = (body.results as { id: number }[]).map(({ id }) => id);
      expect(ids).not.toContain(world.records[root]);
    }
  });

  test("a deleted patient and everything of it answers as one that never was", async () => {
    const patient = await seedPatient(world.basics.disabled, world.basics.physicians.disabled);
    const { token } = world.basics;
    const policy = await call("POST", `patients/${patient}/policies`, { token, body: { ...MARIA, rank: 1 } });
    expect((await call("DELETE", `patients/${patient}`, { token })).status).toBe(204);
    for (const tail of ["", "/policies", `/policies/${policy.body.id}`, "/insurance_cards"]) {
      const gone = await call("GET", `patients/${patient}${tail}`, { token });
      expect(shown(gone)).toEqual(shown(await call("GET", `patients/${ABSENT}${tail}`, { token })));
    }
  });
});
