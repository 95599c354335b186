// ETag, If-None-Match and If-Match (RFC 9110 §13): a write based on an older version changes nothing.
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Basics, call, MARIA, seedBasics, seedCompany, seedPatient, seedPlan } from "@/tests/support/api";
import { imageContent } from "@/tests/support/images";
import { snapshot } from "@/tests/support/snapshot";

let basics: Basics;
let token: string;
let patient: number;
let policy: number;

beforeAll(async () => {
  basics = await seedBasics();
  token = basics.token;
});
/** A policy in its third version, with an image. */
beforeEach(async () => {
  patient = await seedPatient(basics.enabled, basics.physicians.enabled);
  const created = await call("POST", `patients/${patient}/policies`, { token, body: { ...MARIA, rank: 1 } });
  policy = created.body.id;
  await patch({ member_id: "A2" });
  await call("POST", `${path()}/card-images`, { token, body: { image: await imageContent(1), image_rank: 1 } });
});

const path = () => `patients/${patient}/policies/${policy}`;
const patch = (body: object, headers: Record<string, string> = {}) => call("PATCH", path(), { token, body, headers });

describe("ETag", () => {
  test("is the version of the policy, in every response that shows the policy", async () => {
    const created = await call("POST", `patients/${patient}/policies`, { token, body: { ...MARIA, rank: 2 } });
    expect([created.headers.get("etag"), created.body.version]).toEqual(['"1"', 1]);
    const got = await call("GET", path(), { token });
    expect([got.headers.get("etag"), got.body.version]).toEqual(['"3"', 3]);
    expect((await patch({ member_id: "A4" })).headers.get("etag")).toBe('"4"');
    expect((await patch({ member_id: "A4" })).headers.get("etag")).toBe('"4"');
    expect((await call("GET", `${path()}/card-images`, { token })).headers.get("etag")).toBe('"4"');
  });
});

describe("304", () => {
  test.each(['"3"', 'W/"3"', '"2", "3"', '"x",W/"3"', "*"])("If-None-Match: %s", async (tags) => {
    const { status, body, headers } = await call("GET", path(), { token, headers: { "if-none-match": tags } });
    expect([status, body.length, headers.get("etag")]).toEqual([304, 0, '"3"']);
  });

  test.each(['"2"', 'W/"33"', "3", '""', "nonsense"])("200 for If-None-Match: %s", async (tags) => {
    expect((await call("GET", path(), { token, headers: { "if-none-match": tags } })).status).toBe(200);
  });

  test("does not go to another organization that guesses the tag", async () => {
    const headers = { "if-none-match": "*" };
    expect((await call("GET", path(), { token: basics.stranger, headers })).status).toBe(404);
  });
});

/** Every write to an existing policy, and how it is called. */
const WRITES: [string, () => Promise<[method: string, path: string, body?: unknown]>][] = [
  ["PUT", async () => ["PUT", path(), { ...MARIA, member_id: "new" }]],
  ["PATCH", async () => ["PATCH", path(), { member_id: "new" }]],
  ["DELETE", async () => ["DELETE", path()]],
  ["permanent DELETE", async () => ["DELETE", `${path()}?permanent=true`]],
  ["restore", async () => ["POST", `${path()}/restore`]],
  ["card image", async () => ["POST", `${path()}/card-images`, { image: await imageContent(2) }]],
  ["DELETE card image", async () => ["DELETE", `${path()}/card-images/1`]],
];
const OTHERS: [string, () => Promise<[method: string, path: string, body?: unknown]>][] = [
  [
    "PATCH company",
    async () => ["PATCH", `insurance_companies/${await seedCompany(basics.enabled)}`, { carrier: "new" }],
  ],
  ["DELETE company", async () => ["DELETE", `insurance_companies/${await seedCompany(basics.enabled)}`]],
  ["PATCH plan", async () => ["PATCH", `insurance_plans/${await anyPlan()}`, { name: "new" }]],
  ["DELETE plan", async () => ["DELETE", `insurance_plans/${await anyPlan()}`]],
  ["PATCH physician", async () => ["PATCH", `physicians/${basics.physicians.enabled}`, { first_name: "new" }]],
  [
    "PUT availability",
    async () => ["PUT", `physicians/${basics.physicians.enabled}/availabilities`, { availabilities: [] }],
  ],
  ["PATCH practice", async () => ["PATCH", `practices/${basics.enabled}`, { name: "new" }]],
  ["POST photo", async () => ["POST", await photoPath(), await photo(2)]],
  ["DELETE photo", async () => ["DELETE", await photoPath()]],
  ["POST card by rank", async () => ["POST", await cardsPath(), { rank: 1, side: 2, image: await imageContent(1) }]],
  ["DELETE card by rank", async () => ["DELETE", `${await cardsPath()}?rank=1&side=1`]],
];
const anyPlan = async () => seedPlan(basics.enabled, await seedCompany(basics.enabled));

async function photo(seed: number): Promise<object> {
  const { base64_content, original_filename } = await imageContent(seed);
  return { base_64: base64_content, original_filename, patient, practice: basics.enabled };
}

async function photoPath(): Promise<string> {
  const where = `patients/${patient}/profile_image`;
  expect((await call("POST", where, { token, body: await photo(1) })).status).toBe(200);
  return where;
}

/** The cards by rank of a patient who has one. */
async function cardsPath(): Promise<string> {
  const where = `patients/${await seedPatient(basics.disabled, basics.physicians.disabled)}/insurance_cards`;
  const body = { rank: 1, side: 1, image: await imageContent(1) };
  expect((await call("POST", where, { token, body })).status).toBe(201);
  return where;
}

describe("412", () => {
  test.each(WRITES)("%s with a stale If-Match writes nothing: no row, no version, no event", async (_name, request) => {
    const [method, where, body] = await request();
    const before = await snapshot();
    for (const tags of ['"2"', '"4"', '"2", "1"', 'W/"3"', '"x"', '""']) {
      const response = await call(method, where, { token, body, headers: { "if-match": tags } });
      expect([tags, response.status, response.body.code]).toEqual([tags, 412, "version_conflict"]);
      expect(response.body.detail).toContain("3");
    }
    expect(await snapshot()).toEqual(before);
  });

  test.each(OTHERS)("%s with a stale If-Match writes nothing", async (_name, request) => {
    const [method, where, body] = await request();
    const before = await snapshot();
    for (const tags of ['"99"', 'W/"1"']) {
      const response = await call(method, where, { token, body, headers: { "if-match": tags } });
      expect([tags, response.status]).toEqual([tags, 412]);
    }
    expect(await snapshot()).toEqual(before);
  });

  test("does not stop a write with the current version of the photo or, for cards by rank, of the patient", async () => {
    const cards = await cardsPath();
    const ofPatient = cards.replace("/insurance_cards", "");
    const where = await photoPath();
    const currentOf = async (read: string) => ({
      "if-match": (await call("GET", read, { token })).headers.get("etag") as string,
    });
    const body = await photo(2);
    expect((await call("POST", where, { token, body, headers: await currentOf(where) })).status).toBe(200);
    expect((await call("DELETE", where, { token, headers: await currentOf(where) })).status).toBe(204);
    expect((await call("POST", where, { token, body, headers: { "if-match": "*" } })).status).toBe(404);
    const card = { rank: 1, side: 2, image: await imageContent(2) };
    expect((await call("POST", cards, { token, body: card, headers: await currentOf(ofPatient) })).status).toBe(201);
    const removed = { token, headers: await currentOf(ofPatient) };
    expect((await call("DELETE", `${cards}?rank=1&side=1`, removed)).status).toBe(204);
  });

  test("is returned to all but one of ten writers that read the same version", async () => {
    const responses = await Promise.all(
      Array.from({ length: 10 }, (_, index) => patch({ member_id: `W${index}` }, { "if-match": '"3"' })),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(412)]);
    expect((await call("GET", path(), { token })).body.version).toBe(4);
  });

  test("comes after 404, so that a client without access does not learn the version", async () => {
    const headers = { "if-match": '"1"' };
    const { status } = await call("PATCH", path(), { token: basics.stranger, body: {}, headers });
    expect(status).toBe(404);
  });
});

describe("200", () => {
  test.each(['"3"', '"1", "3"', "*", ' "3" '])("If-Match: %s allows the write", async (tags) => {
    expect((await patch({ member_id: "new" }, { "if-match": tags })).status).toBe(200);
  });
});

describe("400", () => {
  test.each(["3", "", '"3', '3"', "W/3", '"3" "4"', '"3",', "**", "*, *", 'w/"3"'])(
    "an If-Match that is not a list of entity tags writes nothing: %j",
    async (tags) => {
      const before = await snapshot();
      for (const [, request] of WRITES) {
        const [method, where, body] = await request();
        const response = await call(method, where, { token, body, headers: { "if-match": tags } });
        expect([method, response.status, response.body.code]).toEqual([method, 400, "invalid_if_match"]);
        expect(response.body.detail).toContain("If-Match");
      }
      expect(await snapshot()).toEqual(before);
    },
  );
});
