// Whom the API refuses: every operation without valid credentials or the scope it takes, and what another organization or
// practice sees of ours: nothing, in the words in which an absent record is told of (design §1, §3). What is a security event
// is audited (ADR 0110). Made of the route table: a new route is among them.
import { beforeAll, describe, expect, test } from "vitest";
import { disableClient, issueToken, verifyClient } from "@/lib/access/clients/commands";
import { SCOPE_RESOURCES } from "@/lib/access/identity/scopes";
import { db, sql } from "@/lib/platform/db/sql";
import { type Answer, call, MARIA, seedPatient, tokenFor } from "@/tests/support/api";
import { seedClient, type TestClient } from "@/tests/support/oauth";
import { securityEventsOf } from "@/tests/support/security-events";
import { snapshot } from "@/tests/support/snapshot";
import { ENDPOINTS, seedWorld, type World } from "@/tests/support/world";

process.env.TOKEN_CACHE_MS = "0";

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
const PROTECTED = ENDPOINTS.filter(({ declaration }) => declaration.scope !== "public").map(
  ({ method, path, declaration }) => [method, path, declaration.scope] as const,
);
const ADDRESSED = ENDPOINTS.filter(
  ({ path, declaration }) => path.includes("[") && declaration.scope !== "public" && !OWNERLESS.includes(rootOf(path)),
).map(({ method, path }) => [method, path] as const);

let world: World;
/** A client of our organization that reaches another practice of it. */
let sibling: string;
let refused: Refused[];
beforeAll(async () => {
  world = await seedWorld();
  const { organisation, enabled } = world.basics;
  sibling = await tokenFor({ organisationId: organisation, practices: [enabled] });
  refused = await seedRefused();
});

/** A token that opens nothing, and how its use is refused and audited. */
interface Refused {
  token?: string;
  /** The token for an operation with this scope; left out: `token`. */
  tokenFor?: (scope: string) => string;
  status: 401 | 403;
  code: string;
  /** The event's name and cause; null where the refusal is none. */
  event: [name: string, cause: string] | null;
}

/** One client for each way of losing access, all of the practice that the world's records belong to. */
async function seedRefused(): Promise<Refused[]> {
  const { organisation: organisationId, disabled: practice } = world.basics;
  const client = () => seedClient({ organisationId, practices: [practice] });
  const issue = async (made: TestClient, scopes = ["apiv2"]) => {
    const secretId = (await verifyClient(made.clientId, made.clientSecret))?.secretId ?? 0;
    return issueToken({ clientId: made.id, secretId, scopes, lifetimeSeconds: 3600 });
  };
  const lost = async (lose: (made: TestClient) => Promise<unknown>) => {
    const made = await client();
    const token = await issue(made);
    await lose(made);
    return token;
  };
  const past = new Date(Date.now() - 60_000);
  const [one, other] = ["system/languages.read", "system/document_tags.read"];
  const narrow = await client();
  const tokens = { one: await issue(narrow, [one]), other: await issue(narrow, [other]) };
  const invalid = { status: 401, code: "invalid_token" } as const;
  return [
    { status: 401, code: "not_authenticated", event: null },
    {
      ...invalid,
      token: await lost(({ id }) => db.run(sql`UPDATE oauth_token SET expires_date = ${past} WHERE client_id = ${id}`)),
      event: ["token.rejected", "token_expired"],
    },
    {
      ...invalid,
      token: await lost(({ id }) => db.run(sql`UPDATE oauth_token SET revoked_date = ${past} WHERE client_id = ${id}`)),
      event: ["token.rejected", "token_revoked"],
    },
    {
      ...invalid,
      token: await lost(({ id }) =>
        db.run(sql`UPDATE oauth_client_secret SET expires_date = ${past} WHERE client_id = ${id}`),
      ),
      event: ["token.rejected", "secret_expired"],
    },
    { ...invalid, token: await lost(({ id }) => disableClient(id)), event: ["token.rejected", "client_disabled"] },
    {
      tokenFor: (scope) => (scope === one ? tokens.other : tokens.one),
      ...{ status: 403, code: "insufficient_scope", event: ["access.denied", "insufficient_scope"] },
    },
  ];
}

/** What an answer shows: everything but the headers that differ with every answer. */
function shown({ status, headers, body }: Answer) {
  const { "x-request-id": _id, ...others } = Object.fromEntries(headers);
  return { status, headers: others, body: JSON.stringify(body) };
}

const bodyFor = (method: string, path: string) =>
  method === "GET" || (method === "DELETE" && !path.endsWith("delegates")) ? {} : { body: world.bodies[path] };
const queryFor = (method: string, path: string) =>
  method === "DELETE" && path.endsWith("insurance_cards") ? "?rank=1" : "";

describe("401 and 403", () => {
  test.each(PROTECTED)(
    "%s %s refuses credentials that are missing, over or not enough",
    async (method, path, scope) => {
      const where = world.at(path);
      const events = await securityEventsOf(world.basics.disabled, async () => {
        for (const { token, tokenFor, status, code } of refused) {
          const used = tokenFor?.(scope) ?? token;
          const answer = await call(method, where, { token: used, ...bodyFor(method, path) });
          expect([answer.status, answer.body.code]).toEqual([status, code]);
        }
      });
      const told = events.map(({ operation, path: at, detail }) => [operation, detail.cause, at]);
      const audited = refused.flatMap(({ event }) => (event ? [[...event, `/api/2.0/${where}`]] : []));
      expect(told).toEqual(audited);
    },
  );

  test("whatever was refused has written nothing", async () => {
    const before = await snapshot();
    for (const [method, path, scope] of PROTECTED.filter(([method]) => method !== "GET")) {
      for (const { token, tokenFor } of refused)
        await call(method, world.at(path), { token: tokenFor?.(scope) ?? token, ...bodyFor(method, path) });
    }
    expect(await snapshot()).toEqual(before);
  });
});

describe("404", () => {
  test.each(ADDRESSED)("%s %s answers a stranger and a sibling exactly as an absent record", async (method, path) => {
    const before = await snapshot();
    for (const token of [world.basics.stranger, sibling]) {
      const send = (where: string) =>
        call(method, `${where}${queryFor(method, path)}`, { token, ...bodyFor(method, path) });
      const ours = await send(world.at(path));
      const absent = await send(world.at(path, ["id", "event_id"]));
      expect(ours.status).toBe(404);
      expect(shown(ours)).toEqual(shown(absent));
    }
    expect(await snapshot()).toEqual(before);
  });

  test.each(ADDRESSED.filter(([, path]) => path.includes("[policy_id]")))(
    "%s %s finds our policy under no patient but its own",
    async (method, path) => {
      const theirs = await seedPatient(world.basics.foreign, world.basics.physicians.foreign);
      const another = await seedPatient(world.basics.disabled, world.basics.physicians.disabled);
      for (const [token, patient] of [
        [world.basics.stranger, theirs],
        [world.basics.token, another],
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
  test.each(lists)("the list of %s shows neither a stranger nor a sibling anything of ours", async (root) => {
    for (const token of [world.basics.stranger, sibling]) {
      for (const query of ["", `?practice=${world.basics.disabled}`, "?offset=0&limit=100"]) {
        const { status, body } = await call("GET", `${root}/${query}`, { token });
        expect(status).toBe(200);
        const ids = (body.results as { id: number }[]).map(({ id }) => id);
        expect(ids).not.toContain(world.records[root]);
      }
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
