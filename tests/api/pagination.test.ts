// Lists: limit with cursor or offset; count; order_by; absolute links.
import { createHmac } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { apiRoutes } from "@/generated/api-routes";
import { resources } from "@/generated/resources";
import type { RouteHandler } from "@/lib/access/endpoints/endpoint";
import { config } from "@/lib/platform/config";
import { db, sql } from "@/lib/platform/db/sql";
import { canonicalPath } from "@/lib/platform/http/request";
import { seal, unseal } from "@/lib/platform/sealing";
import type { Resource } from "@/lib/records/engine/schema";
import {
  type Basics,
  call,
  MARIA,
  seedBasics,
  seedCompany,
  seedPatient,
  seedPhysician,
  seedPlan,
  tokenFor,
} from "@/tests/support/api";
import { isServed, knownOf, seedSample, seedSamples, seedUser } from "../support/sample-records";

const NOT_OF_THIS_LIST = "Not a cursor of this list with these filters. Start again from the first page.";
const ROWS = 30;
/** Records of each declared resource in addition to the first one. */
const RECORDS = 11;
let basics: Basics;
let token: string;
let patient: number;
let policy: number;
let letter: number;

beforeAll(async () => {
  basics = await seedBasics();
  token = basics.token;
  const company = await seedCompany(basics.disabled, "Carrier");
  for (let index = 0; index < ROWS; index++) {
    // Every other record shares its name with its neighbors, so that IDs break the ties.
    const name = index % 2 ? "Same" : `N${index % 7}`;
    await seedPatient(basics.disabled, basics.physicians.disabled, `${name} ${name}`);
    await seedPhysician(basics.disabled);
    await seedCompany(basics.disabled, name);
    await seedPlan(basics.disabled, company, name);
  }
  patient = await seedPatient(basics.enabled, basics.physicians.enabled);
  const created = await call("POST", `patients/${patient}/policies`, { token, body: { ...MARIA, rank: 1 } });
  policy = created.body.id;
  // Another client writes, because a client receives no events for its own writes.
  const colleague = await tokenFor({ organizationId: basics.organization, practices: [basics.disabled] });
  for (let index = 0; index < ROWS; index++) {
    const hook = { resource: index ? "vitals" : "physicians", target: `https://hooks.example.org/${index}` };
    await call("POST", "subscriptions", { token, body: hook });
    await call("PATCH", `physicians/${basics.physicians.disabled}`, {
      token: colleague,
      body: { first_name: `N${index}` },
    });
    await call("POST", `patients/${patient}/policies`, { token, body: { ...MARIA, rank: index % 2 ? null : 2 } });
    await call("PATCH", `patients/${patient}/policies/${policy}`, { token, body: { member_id: `M${index}` } });
  }
  const physician = basics.physicians.enabled;
  const owner = { practice: basics.enabled, patient, physician, company: await seedCompany(basics.enabled) };
  const { records, known } = await seedSamples(owner);
  for (const name of ["a", "b"]) await seedUser(basics.enabled, `${name}@example.org`);
  for (const resource of resources.filter(isListed))
    for (let index = 0; index < RECORDS; index++)
      await seedSample(resource, owner, knownOf(resource, known, records), 100 + index);
  letter = records.patient_letters as number;
  for (let index = 0; index < RECORDS; index++)
    await call("POST", `patient-letters/${letter}/comments`, { token, body: { author: records.users } });
});

const isListed = (resource: Resource) => isServed(resource) && resource.operations.includes("list");

/** Every paged list, with IDs for its path. */
const LISTS = apiRoutes.flatMap(({ path, module }) => {
  const { declaration } = module.GET as unknown as Partial<RouteHandler>;
  return declaration?.query && "cursor" in declaration.query ? [path] : [];
});
const at = (path: string) =>
  path
    .replace("[id]", String(patient))
    .replace("[policy_id]", String(policy))
    .replace("[patient_letters]", String(letter));
type Entry = { id?: number; patient_provider_team_id?: number; version?: number; name?: string };
const keysOf = (body: { results: Entry[] }) =>
  body.results.map(({ id, patient_provider_team_id: team, version, name }) => id ?? team ?? version ?? name);

async function page(path: string) {
  const { status, body } = await call("GET", path, { token });
  expect([path, status]).toEqual([path, 200]);
  return body as { count?: number; next: string | null; previous: string | null; results: Entry[] };
}

/** Follows `next` to the end, then `previous` back to the beginning. Pages without a cursor have the count of all entries. */
async function walk(path: string) {
  const forth: unknown[] = [];
  const pages: unknown[][] = [];
  let current = await page(path);
  const { count } = current;
  for (;;) {
    pages.push(keysOf(current));
    forth.push(...keysOf(current));
    if (current.next === null) break;
    expect(current.next).toMatch(/^http:\/\/localhost:3000\/api\/2\.0\//);
    current = await page(current.next);
  }
  const back: unknown[][] = [keysOf(current)];
  while (current.previous !== null) {
    current = await page(current.previous);
    back.unshift(keysOf(current));
  }
  return { forth, pages, back, count };
}

/** Wrong values of each parameter. The first values go in one request, the second ones in the next, and so on. */
const WRONG_VALUES = {
  limit: ["0", "101", "-1", "1.5", "1e2", "x", "", " ", "99999999999999999999", "0x10"],
  offset: ["-1", "x", "", "1.5", "1000000001", "99999999999999999999"],
  order_by: ["", "-", "nothing", "--id", "id,id", "version; DROP TABLE patient", "constructor", "__proto__"],
};

async function expectRejected(path: string, query: Readonly<Record<string, string>>): Promise<void> {
  const text = Object.entries(query).map(([name, value]) => `${name}=${value}`);
  const { status, body } = await call("GET", `${path}?${text.join("&")}`, { token });
  expect([query, status, Object.keys(body).sort()]).toEqual([query, 400, Object.keys(query).sort()]);
  for (const messages of Object.values(body)) expect(messages).toEqual([expect.any(String)]);
}

const changedAt = (cursor: string, index: number) => {
  const bytes = Buffer.from(cursor, "base64url");
  bytes.writeUInt8(bytes.readUInt8(index) ^ 1, index);
  return bytes.toString("base64url");
};

/**
 * Cursors that we did not issue: every kind for the first list, and one for the others, which open cursors with the
 * same code.
 */
function forgedCursors(cursor: string, path: string): string[] {
  const last = Buffer.from(cursor, "base64url").length - 1;
  if (path !== LISTS[0]) return ["x", changedAt(cursor, last)];
  // Version, nonce, content, tag.
  const changed = [0, 1, 20, last].map((index) => changedAt(cursor, index));
  const cut = [cursor.slice(1), cursor.slice(0, 20), `${cursor.slice(0, -3)}AAA`, `${cursor}=`];
  return [...changed, ...cut, "", "x", "bm90IGEgY3Vyc29y", "%00", "x".repeat(2001), "%ff"];
}

describe("list", () => {
  test.each(LISTS.map((path, index) => [path, LISTS.at(index - 1) as string] as const))(
    "%s is paged by cursor and by offset",
    async (path, neighbor) => {
      const list = at(path);
      const whole = (await walk(`${list}?limit=100`)).forth;
      expect(new Set(whole).size).toBe(whole.length);
      const initial = await page(list);
      expect([keysOf(initial).length, initial.count]).toEqual([Math.min(25, whole.length), whole.length]);

      const byCursor = await walk(`${list}?limit=7`);
      expect([byCursor.forth, byCursor.count]).toEqual([whole, whole.length]);
      expect(byCursor.back).toEqual(byCursor.pages);
      const { next } = await page(`${list}?limit=1`);
      if (next !== null) expect(await page(next)).not.toHaveProperty("count");
      const byOffset = await walk(`${list}?limit=10&offset=0`);
      expect([byOffset.forth, byOffset.count]).toEqual([whole, whole.length]);
      const last = await page(`${list}?limit=10&offset=${whole.length - 1}`);
      expect([last.count, keysOf(last), last.next]).toEqual([whole.length, whole.slice(-1), null]);
      expect(byOffset.back).toEqual(byOffset.pages);
      const beyond = await page(`${list}?offset=1000000000`);
      expect([beyond.count, beyond.results, beyond.next]).toEqual([whole.length, [], null]);

      for (const [round] of WRONG_VALUES.limit.entries()) {
        const sent = Object.entries(WRONG_VALUES).flatMap(([name, values]) => {
          const value = values[round];
          return value === undefined ? [] : [[name, value] as const];
        });
        await expectRejected(list, Object.fromEntries(sent));
      }
      for (const name of ["limit", "offset", "order_by", "cursor"])
        await expectRejected(list, { [name]: `1&${name}=2` });

      const first = await page(`${list}?limit=1`);
      expect(keysOf(first)).toHaveLength(1);
      const cursor = new URL(first.next as string).searchParams.get("cursor") as string;
      for (const forged of forgedCursors(cursor, path)) await expectRejected(list, { cursor: forged });
      await expectRejected(at(neighbor), { cursor });
      expect(keysOf(await page(`${list}/?limit=3&cursor=${cursor}`))).toEqual(
        keysOf(await page(`${list}?limit=3&cursor=${cursor}`)),
      );
    },
  );
});

/** Fields that lists can be ordered by, and how the database sorts them. */
const ORDERS: [path: string, field: string, table: string, column: string][] = [
  ["patients", "last_name", "patient", "lower(last_name)"],
  ["patients", "first_name", "patient", "lower(first_name)"],
  ["patients", "dob", "patient", "dob"],
  ["patients", "last_modified", "patient", "last_modified"],
  ["patients", "created_date", "patient", "created_date"],
  ["patients", "id", "patient", "id"],
  ["physicians", "last_name", "physician", "lower(last_name)"],
  ["physicians", "npi", "physician", "npi"],
  ["insurance_companies", "id", "insurance_company", "id"],
  ["insurance_plans", "name", "insurance_plan", "lower(name)"],
  ["insurance_plans", "created_date", "insurance_plan", "created_date"],
  ["practices", "name", "practice", "lower(name)"],
];

describe("order_by", () => {
  test.each(ORDERS)("%s ordered by %s, ascending and descending, across pages", async (path, field, table, column) => {
    const { raw } = await import("@/lib/platform/db/sql");
    for (const [order, direction] of [
      [field, "ASC"],
      [`-${field}`, "DESC"],
    ] as const) {
      const own = table === "practice" ? "id" : "practice_id";
      const rows = await db.rows<{ id: number }>(sql`
        SELECT id FROM ${raw(table)} WHERE ${raw(own)} IN (${basics.enabled}, ${basics.disabled})
        ORDER BY ${raw(column)} ${raw(direction)}, id ${raw(direction)}`);
      const { forth, pages, back } = await walk(`${path}/?limit=8&order_by=${order}`);
      expect(forth).toEqual(rows.map(({ id }) => id));
      expect(back).toEqual(pages);
    }
  });

  test("a cursor keeps the order it was created with, and rejects another order_by", async () => {
    const { next } = await page("patients/?limit=5&order_by=-last_name");
    const target = new URL(next as string);
    target.searchParams.delete("order_by");
    expect(keysOf(await page(target.href))).toEqual(keysOf(await page(next as string)));
    for (const order of ["id", "last_name"]) {
      target.searchParams.set("order_by", order);
      const { status, body } = await call("GET", target.href, { token });
      const message = "Differs from the order of the cursor. Start again from the first page.";
      expect([status, body]).toEqual([400, { order_by: [message] }]);
    }
  });

  test("a cursor works only with the filters it was created with", async () => {
    const { next } = await page("patients/?limit=5&last_name=same");
    const cursor = new URL(next as string).searchParams.get("cursor") as string;
    for (const filters of ["", "last_name=N1&", "last_name=same&first_name=same&"]) {
      const { status, body } = await call("GET", `patients/?${filters}cursor=${cursor}`, { token });
      expect([filters, status, body]).toEqual([filters, 400, { cursor: [NOT_OF_THIS_LIST] }]);
    }
    const policies = await page(`patients/${patient}/policies/?limit=2`);
    const { status, body } = await call("GET", `${policies.next}&status=archived`, { token });
    expect([status, body]).toEqual([400, { cursor: [NOT_OF_THIS_LIST] }]);
  });

  test("a cursor of an earlier version, without filters, works as before", async () => {
    const { next } = await page("patients/?limit=5&last_name=same");
    const target = new URL(next as string);
    const path = canonicalPath(target);
    const content = unseal("cursor", target.searchParams.get("cursor") as string, path) as string;
    const { filters, ...earlier } = JSON.parse(content);
    expect(filters).toMatch(/^[\w-]{16}$/);
    target.searchParams.set("cursor", seal("cursor", JSON.stringify(earlier), path));
    expect(keysOf(await page(target.href))).toEqual(keysOf(await page(next as string)));
  });

  test("a cursor works with another page size and with parameters that the list does not have", async () => {
    const { next } = await page("patients/?limit=5&last_name=same&_=1");
    const target = new URL(next as string);
    const expected = keysOf(await page(next as string));
    target.searchParams.set("limit", "2");
    target.searchParams.set("_", "2");
    expect(keysOf(await page(target.href))).toEqual(expected.slice(0, 2));
  });

  test("a cursor can't be combined with an offset", async () => {
    const { next } = await page("patients/?limit=5");
    for (const path of [`${next}&offset=0`, "patients/?offset=0&cursor=garbage"]) {
      const { status, body } = await call("GET", path, { token });
      expect([status, body]).toEqual([400, { cursor: ["Can't be combined with offset."] }]);
    }
  });

  test("links keep the filters of the list", async () => {
    const { next } = await page("patients/?limit=5&last_name=same");
    const { forth } = await walk(next as string);
    expect(forth).toHaveLength(ROWS / 2 - 5);
  });
});

test("the count is that of the filtered list, without deleted records and those of other practices", async () => {
  const made = [];
  for (const status of ["Active", "Active", "Active", "Inactive"]) {
    const body = { patient, name: "Latex", status };
    made.push((await call("POST", "allergies", { token, body })).body.id);
  }
  const countOf = async (query: string) => (await page(`allergies/?limit=1&${query}`)).count;
  const [all, ofPatient] = [(await countOf("")) as number, (await countOf(`patient=${patient}`)) as number];
  expect(ofPatient).toBeGreaterThanOrEqual(4);
  expect(await countOf(`patient=${patient}&patient=${patient}`)).toBe(ofPatient);
  expect(await countOf(`patient=${patient}&patient=999999999`)).toBe(ofPatient);
  const problem = { patient, description: "Hypertension", dx: [], start_date: "2020-01-01" };
  for (const status of ["Active", "Active", "Resolved"]) {
    const created = await call("POST", "problems", { token, body: { ...problem, status } });
    expect(created.status).toBe(201);
  }
  for (const filter of ["status=Active", "status=Active&status=Resolved", "created_date__gte=2020-01-01"]) {
    const listed = async () => (await walk(`problems/?limit=2&${filter}`)).forth.length;
    const counted = async () => (await page(`problems/?limit=2&${filter}`)).count;
    expect([filter, await counted()]).toEqual([filter, await listed()]);
    const [gone] = keysOf(await page(`problems/?${filter}`));
    expect((await call("DELETE", `problems/${gone}`, { token })).status).toBe(204);
    expect([filter, await counted()]).toEqual([filter, await listed()]);
  }
  const empty = await tokenFor({ organizationId: basics.organization, practices: [basics.disabled] });
  expect((await call("GET", "allergies/", { token: empty })).body.count).toBe(0);
  expect((await call("DELETE", `allergies/${made[0]}`, { token })).status).toBe(204);
  expect([await countOf(""), await countOf(`patient=${patient}`)]).toEqual([all - 1, ofPatient - 1]);
  expect((await call("GET", "allergies/", { token: basics.stranger })).body.count).toBe(0);
});

describe("a cursor", () => {
  const cursorOf = async (path: string) => new URL((await page(path)).next as string).searchParams.get("cursor") ?? "";

  test("reveals nothing about its record, not even the length of its name", async () => {
    const lengths = new Set<number>();
    // The second name sorts before the first, so that each one in turn is the last row of the first page. Both begin with text that
    // no cursor contains by chance.
    for (const name of ["AaaaaaaaNg", "AaaaaaaaFeatherstonehaugh"]) {
      await seedPatient(basics.disabled, basics.physicians.disabled, `Zoe ${name}`);
      const cursor = await cursorOf("patients/?limit=1&order_by=last_name");
      for (const text of [cursor, Buffer.from(cursor, "base64url").toString("latin1")])
        expect(text.toLowerCase()).not.toMatch(/aaaaaaaa|last_name|after/);
      lengths.add(cursor.length);
    }
    expect(lengths.size).toBe(1);
  });

  test("is the same each time, so that links to a page stay the same", async () => {
    const path = "patients/?limit=2&order_by=last_name";
    expect(await cursorOf(path)).toBe(await cursorOf(path));
  });

  test("supports the longest names that a list is ordered by", async () => {
    const company = await seedCompany(basics.disabled, "Long");
    for (const _ of [1, 2]) await seedPlan(basics.disabled, company, "😀".repeat(200));
    const { next } = await page("insurance_plans/?limit=1&order_by=-name");
    expect((await page(next as string)).results).toHaveLength(1);
  });

  test("is rejected if it is the signed plaintext of earlier versions", async () => {
    const payload = JSON.stringify({ direction: "after", order: "last_name", value: "aaang", id: 1 });
    const signature = createHmac("sha256", config().SECRET_KEY).update(`cursor\n/api/2.0/patients${payload}`);
    const cursor = Buffer.from(`${signature.digest("base64url")} ${payload}`).toString("base64url");
    const { status, body } = await call("GET", `patients/?cursor=${cursor}`, { token });
    expect([status, body]).toEqual([400, { cursor: [NOT_OF_THIS_LIST] }]);
  });
});
