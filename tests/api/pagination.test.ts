// Lists (design §4): limit and cursor, or offset and count; order_by; absolute links.
import { createHmac } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { apiRoutes } from "@/generated/api-routes";
import { resources } from "@/generated/resources";
import type { RouteHandler } from "@/lib/access/endpoints/endpoint";
import { isScopeResource } from "@/lib/access/identity/scopes";
import { config } from "@/lib/platform/config";
import { db, sql } from "@/lib/platform/db/sql";
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
import { knownOf, seedSample, seedSamples, seedUser } from "../support/sample-records";

const ROWS = 30;
/** Of each declared resource, beside the first one. */
const RECORDS = 11;
let basics: Basics;
let token: string;
let patient: number;
let policy: number;

beforeAll(async () => {
  basics = await seedBasics();
  token = basics.token;
  const company = await seedCompany(basics.disabled, "Carrier");
  for (let index = 0; index < ROWS; index++) {
    // Every other one shares its name with its neighbors: ids must break the ties.
    const name = index % 2 ? "Same" : `N${index % 7}`;
    await seedPatient(basics.disabled, basics.physicians.disabled, `${name} ${name}`);
    await seedPhysician(basics.disabled);
    await seedCompany(basics.disabled, name);
    await seedPlan(basics.disabled, company, name);
  }
  patient = await seedPatient(basics.enabled, basics.physicians.enabled);
  const created = await call("POST", `patients/${patient}/policies`, { token, body: { ...MARIA, rank: 1 } });
  policy = created.body.id;
  // Written by a colleague: a client does not hear of its own writes.
  const colleague = await tokenFor({ organisationId: basics.organisation, practices: [basics.disabled] });
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
});

const isListed = ({ name, path, operations }: Resource) =>
  isScopeResource(name) && path === undefined && operations.includes("list");

/** Every list that is paged, with the ids of ours in its path. */
const LISTS = apiRoutes.flatMap(({ path, module }) => {
  const { declaration } = module.GET as unknown as Partial<RouteHandler>;
  return declaration?.query && "cursor" in declaration.query ? [path] : [];
});
const at = (path: string) => path.replace("[id]", String(patient)).replace("[policy_id]", String(policy));
type Entry = { id?: number; version?: number; name?: string };
const keysOf = (body: { results: Entry[] }) => body.results.map(({ id, version, name }) => id ?? version ?? name);

async function page(path: string) {
  const { status, body } = await call("GET", path, { token });
  expect([path, status]).toEqual([path, 200]);
  return body as { count?: number; next: string | null; previous: string | null; results: Entry[] };
}

/** Follows `next` to the end, then `previous` back to the beginning. */
async function walk(path: string) {
  const forth: unknown[] = [];
  const pages: unknown[][] = [];
  let current = await page(path);
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
  return { forth, pages, back };
}

describe.each(LISTS)("GET %s", (path) => {
  test("gives 25 entries unless told, 100 at most", async () => {
    const all = (await walk(`${at(path)}?limit=100`)).forth.length;
    expect(keysOf(await page(at(path)))).toHaveLength(Math.min(25, all));
    expect(keysOf(await page(`${at(path)}?limit=1`))).toHaveLength(Math.min(1, all));
  });

  test("by cursor, forth and back, shows every row once and the same pages either way", async () => {
    const whole = (await walk(`${at(path)}?limit=100`)).forth;
    expect(new Set(whole).size).toBe(whole.length);
    for (const limit of [7, 10]) {
      const { forth, pages, back } = await walk(`${at(path)}?limit=${limit}`);
      expect(forth).toEqual(whole);
      expect(back).toEqual(pages);
    }
  });

  test("by offset shows the same rows and their count", async () => {
    const whole = (await walk(`${at(path)}?limit=100`)).forth;
    const { forth, pages, back } = await walk(`${at(path)}?limit=10&offset=0`);
    expect([forth, back]).toEqual([whole, pages]);
    const beyond = await page(`${at(path)}?offset=1000000000`);
    expect([beyond.count, beyond.results, beyond.next]).toEqual([whole.length, [], null]);
    expect((await page(at(path))).count).toBeUndefined();
  });

  test.each([
    ["limit", ["0", "101", "-1", "1.5", "1e2", "x", "", " ", "99999999999999999999", "0x10"]],
    ["offset", ["-1", "x", "", "1.5", "1000000001", "99999999999999999999"]],
    ["order_by", ["", "-", "nothing", "--id", "id,id", "version; DROP TABLE patient", "constructor", "__proto__"]],
    ["cursor", ["", "x", "bm90IGEgY3Vyc29y", "%00", "x".repeat(2001), "%ff"]],
  ])("400 naming %s where it is none of ours", async (name, values) => {
    for (const value of values) {
      const { status, body } = await call("GET", `${at(path)}?${name}=${value}`, { token });
      expect([value, status, Object.keys(body)]).toEqual([value, 400, [name]]);
      expect(body[name]).toEqual([expect.any(String)]);
    }
    const twice = await call("GET", `${at(path)}?${name}=1&${name}=2`, { token });
    expect([twice.status, Object.keys(twice.body)]).toEqual([400, [name]]);
  });

  test("400 for a cursor that was changed or comes from another list; either slash form is the same list", async () => {
    const { next } = await page(`${at(path)}?limit=1`);
    const cursor = new URL(next ?? "http://localhost?cursor=").searchParams.get("cursor") ?? "";
    expect(cursor).not.toBe("");
    const changed = (at: number) => {
      const bytes = Buffer.from(cursor, "base64url");
      bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
      return bytes.toString("base64url");
    };
    // Version, nonce, content, tag.
    const forged = [0, 1, 20, Buffer.from(cursor, "base64url").length - 1].map(changed);
    for (const wrong of [...forged, cursor.slice(1), cursor.slice(0, 20), `${cursor.slice(0, -3)}AAA`, `${cursor}=`]) {
      const { status, body } = await call("GET", `${at(path)}?cursor=${wrong}`, { token });
      expect([wrong, status, Object.keys(body)]).toEqual([wrong, 400, ["cursor"]]);
    }
    for (const other of LISTS.filter((list) => list !== path)) {
      expect((await call("GET", `${at(other)}?cursor=${cursor}`, { token })).status).toBe(400);
    }
    const slashed = await page(`${at(path)}/?limit=3&cursor=${cursor}`);
    expect(keysOf(slashed)).toEqual(keysOf(await page(`${at(path)}?limit=3&cursor=${cursor}`)));
  });
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
  test.each(ORDERS)("%s by %s, upwards and downwards, across pages", async (path, field, table, column) => {
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

  test("a cursor remembers the order it was made in, which wins", async () => {
    const { next } = await page("patients/?limit=5&order_by=-last_name");
    const target = new URL(next as string);
    target.searchParams.set("order_by", "id");
    expect(keysOf(await page(target.href))).toEqual(keysOf(await page(next as string)));
  });

  test("links keep the filters of the list", async () => {
    const { next } = await page("patients/?limit=5&last_name=same");
    const { forth } = await walk(next as string);
    expect(forth).toHaveLength(ROWS / 2 - 5);
  });
});

describe("a cursor", () => {
  const cursorOf = async (path: string) => new URL((await page(path)).next as string).searchParams.get("cursor") ?? "";

  test("says nothing of the record it stands at, not even how long its name is", async () => {
    const lengths = new Set<number>();
    // The second comes before the first: each is the last row of the first page in turn.
    for (const name of ["AaaNg", "AaaFeatherstonehaugh"]) {
      await seedPatient(basics.disabled, basics.physicians.disabled, `Zoe ${name}`);
      const cursor = await cursorOf("patients/?limit=1&order_by=last_name");
      for (const text of [cursor, Buffer.from(cursor, "base64url").toString("latin1")])
        expect(text.toLowerCase()).not.toMatch(/aaa|last_name|after/);
      lengths.add(cursor.length);
    }
    expect(lengths.size).toBe(1);
  });

  test("is the same each time, so that what links to a page stays the same", async () => {
    const path = "patients/?limit=2&order_by=last_name";
    expect(await cursorOf(path)).toBe(await cursorOf(path));
  });

  test("takes the longest names a list is ordered by", async () => {
    const company = await seedCompany(basics.disabled, "Long");
    for (const _ of [1, 2]) await seedPlan(basics.disabled, company, "😀".repeat(200));
    const { next } = await page("insurance_plans/?limit=1&order_by=-name");
    expect((await page(next as string)).results).toHaveLength(1);
  });

  test("that was signed in clear, as earlier versions gave them, is refused", async () => {
    const payload = JSON.stringify({ direction: "after", order: "last_name", value: "aaang", id: 1 });
    const signature = createHmac("sha256", config().SECRET_KEY).update(`cursor\n/api/2.0/patients${payload}`);
    const cursor = Buffer.from(`${signature.digest("base64url")} ${payload}`).toString("base64url");
    const { status, body } = await call("GET", `patients/?cursor=${cursor}`, { token });
    expect([status, body]).toEqual([400, { cursor: ["Not a cursor of this list. Start again from the first page."] }]);
  });
});
