import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { practiceResponse } from "@/lib/api/practices/schema";
import { setClock } from "@/lib/platform/clock";
import { type Basics, call, seedBasics, seedPractice, tokenFor } from "@/tests/support/api";
import { historyOf } from "@/tests/support/history";

let basics: Basics;
let token: string;

beforeAll(async () => {
  basics = await seedBasics();
  token = basics.token;
});
afterEach(() => setClock());

/** Creates a practice that no other test in this file writes to. */
async function createPractice() {
  const id = await seedPractice(basics.organization, "Fresh Practice", false);
  return { id, token: await tokenFor({ organizationId: basics.organization, practices: [id] }) };
}

const required = { name: "Elm Street", address_line1: "1 Elm Street", address_line2: "" };

describe("200", () => {
  test("a practice has exactly the fields of the contract", async () => {
    const { status, body, headers } = await call("GET", `practices/${basics.enabled}/`, { token });
    expect(status).toBe(200);
    expect(headers.get("etag")).toBe('"1"');
    expect(practiceResponse.strict().parse(body)).toMatchObject({
      id: basics.enabled,
      name: "Northside Family Medicine",
      physicians: [basics.physicians.enabled],
      elation_root_oid: "",
      employers: [],
      service_locations: [],
      metadata: null,
      status: "active",
      timezone: "America/New_York",
    });
  });

  test("the list contains only the client's practices", async () => {
    const { body } = await call("GET", "practices/", { token });
    expect(body.results.map(({ id }: { id: number }) => id)).toEqual([basics.enabled, basics.disabled]);
    for (const practice of body.results) practiceResponse.strict().parse(practice);
  });

  test.each([["name"], ["-name"], ["id"], ["-id"]])("the list ordered by %s continues past a page", async (order) => {
    const whole = await call("GET", `practices/?order_by=${order}`, { token });
    const first = await call("GET", `practices/?order_by=${order}&limit=1`, { token });
    const second = await call("GET", first.body.next, { token });
    expect([...first.body.results, ...second.body.results]).toEqual(whole.body.results);
    expect(second.body.next).toBeNull();
  });

  test("the list has a count when paged by offset", async () => {
    const { body } = await call("GET", "practices/?offset=1&limit=1", { token });
    expect(body).toMatchObject({ count: 2, next: null });
    expect(body.results).toHaveLength(1);
  });

  test("PUT sets the given fields, leaves the rest, ignores read-only and unknown fields, and keeps history", async () => {
    const { id, token } = await createPractice();
    const metadata = { object_web_link: "https://example.org/7", data: { z: 1, a: [2] }, object_id: "7" };
    await call("PATCH", `practices/${id}/`, { token, body: { city: "Boston", metadata } });
    const body = { ...required, id: 1, timezone: "Mars/Base", status: "gone", physicians: [9], unheard: "of" };
    const put = await call("PUT", `practices/${id}/`, { token, body, headers: { "x-change-reason": "moved" } });
    expect(put.status).toBe(200);
    expect(put.headers.get("etag")).toBe('"3"');
    expect(put.body).toMatchObject({ ...required, id, city: "Boston", metadata, timezone: "America/New_York" });
    expect((await call("GET", `practices/${id}/`, { token })).body).toEqual(put.body);
    expect(await historyOf("practice", id)).toMatchObject([
      { version: 2, kind: "updated", changes: { city: { old: "", new: "Boston" } }, source: "api", reason: null },
      { version: 3, kind: "updated", changes: { name: { old: "Fresh Practice", new: "Elm Street" } }, reason: "moved" },
    ]);
  });

  test("a write that changes nothing creates no version", async () => {
    const { id, token } = await createPractice();
    const first = { metadata: { data: { longer: 1, b: { y: 1, x: 2 } } }, zip: "02118" };
    await call("PATCH", `practices/${id}/`, { token, body: first });
    const again = { zip: "02118", metadata: { data: { b: { x: 2, y: 1 }, longer: 1 } } };
    const { status, headers } = await call("PATCH", `practices/${id}/`, { token, body: again });
    expect([status, headers.get("etag")]).toEqual([200, '"2"']);
    await call("PATCH", `practices/${id}/`, { token, body: {} });
    expect(await historyOf("practice", id)).toHaveLength(1);
  });

  test("eligibility usage covers the month to date by default", async () => {
    setClock({ now: () => new Date("2025-09-17T12:00:00Z") });
    const token = await tokenFor({ organizationId: basics.organization, practices: [basics.enabled] });
    const path = `practices/${basics.enabled}/eligibility_usage/`;
    const none = { total_checks: 0, successful_checks: 0, failed_checks: 0 };
    const month = await call("GET", path, { token });
    expect(month.body).toEqual({ start_date: "2025-09-01", end_date: "2025-09-17", ...none });
    const june = await call("GET", `${path}?start_date=2025-06-02&end_date=2025-06-30`, { token });
    expect(june.body).toEqual({ start_date: "2025-06-02", end_date: "2025-06-30", ...none });
  });

  test("the scope of practices is sufficient", async () => {
    const scopes = ["system/practices.read"];
    const reader = await tokenFor({ organizationId: basics.organization, practices: [basics.enabled], scopes });
    expect((await call("GET", `practices/${basics.enabled}/`, { token: reader })).status).toBe(200);
    expect((await call("GET", `practices/${basics.enabled}/eligibility_usage`, { token: reader })).status).toBe(200);
    const rejected = await call("PATCH", `practices/${basics.enabled}/`, { token: reader, body: {} });
    expect([rejected.status, rejected.headers.get("www-authenticate")]).toEqual([
      403,
      expect.stringContaining("system/practices.write"),
    ]);
  });
});

describe("400", () => {
  test("PUT names each missing required field", async () => {
    const { status, body } = await call("PUT", `practices/${basics.enabled}/`, { token, body: { city: "Boston" } });
    const message = ["This field is required."];
    expect([status, body]).toEqual([400, { name: message, address_line1: message, address_line2: message }]);
  });

  test.each([
    [{ state: "MAS" }, { state: ["Must have at most 2 characters."] }],
    [{ name: "n".repeat(201) }, { name: ["Must have at most 200 characters."] }],
    [{ name: null }, { name: ["This field may not be null."] }],
    [{ zip: 2118 }, { zip: ["Must be a string."] }],
    [{ metadata: { data: [] } }, { metadata: { data: [expect.any(String)] } }],
  ])("PATCH rejects %j", async (sent, errors) => {
    const { status, body } = await call("PATCH", `practices/${basics.enabled}/`, { token, body: sent });
    expect([status, body]).toEqual([400, errors]);
  });

  test.each([
    ["practices/?order_by=city", "order_by"],
    ["practices/?limit=0", "limit"],
    ["practices/?limit=101", "limit"],
    ["practices/?cursor=abc", "cursor"],
  ])("the error for %s names the parameter", async (path, parameter) => {
    const { status, body } = await call("GET", path, { token });
    expect([status, Object.keys(body)]).toEqual([400, [parameter]]);
  });

  test.each([
    ["start_date=2025-02-30", "start_date"],
    ["end_date=soon", "end_date"],
    ["start_date=2025-07-01&end_date=2025-06-30", "start_date"],
  ])("eligibility usage rejects %s", async (query, parameter) => {
    const { status, body } = await call("GET", `practices/${basics.enabled}/eligibility_usage/?${query}`, { token });
    expect([status, Object.keys(body)]).toEqual([400, [parameter]]);
  });
});

describe("404", () => {
  test.each([
    ["GET", ""],
    ["PUT", ""],
    ["PATCH", ""],
    ["GET", "eligibility_usage/"],
  ])("%s of another organization's practice returns the same as for an absent one (%s)", async (method, below) => {
    const body = method === "GET" ? undefined : required;
    const foreign = await call(method, `practices/${basics.foreign}/${below}`, { token, body });
    const absent = await call(method, `practices/99999999/${below}`, { token, body });
    expect([foreign.status, foreign.body]).toEqual([404, { detail: "No such practice.", code: "not_found" }]);
    expect([absent.status, absent.body]).toEqual([foreign.status, foreign.body]);
  });

  test("a malformed ID is unknown", async () => {
    expect((await call("GET", "practices/9007199254740993/", { token })).status).toBe(404);
    expect((await call("GET", "practices/first/", { token })).status).toBe(404);
  });
});

describe("405", () => {
  test.each([
    ["POST", "practices/"],
    ["DELETE", "practices/1/"],
  ])("%s %s", async (method, path) => {
    const { status, headers } = await call(method, path, { token, body: {} });
    expect([status, headers.get("allow")]).toEqual([405, expect.stringContaining("GET, HEAD")]);
  });
});

describe("412", () => {
  test("a write on an older version changes nothing", async () => {
    const { id, token } = await createPractice();
    await call("PATCH", `practices/${id}/`, { token, body: { city: "Lynn" }, headers: { "if-match": '"1"' } });
    const stale = { token, body: { city: "Salem" }, headers: { "if-match": '"1"' } };
    const { status, body } = await call("PATCH", `practices/${id}/`, stale);
    expect([status, body.code]).toEqual([412, "version_conflict"]);
    expect((await call("GET", `practices/${id}/`, { token })).body.city).toBe("Lynn");
  });

  test("all but one of several concurrent writers on one version are rejected", async () => {
    const { id, token } = await createPractice();
    const write = (city: string) =>
      call("PATCH", `practices/${id}/`, { token, body: { city }, headers: { "if-match": '"1"' } });
    const responses = await Promise.all(["Lynn", "Salem", "Quincy", "Milton"].map(write));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412]);
    expect(await historyOf("practice", id)).toHaveLength(1);
  });
});
