import { beforeAll, describe, expect, test } from "vitest";
import { db, sql } from "@/lib/platform/db/sql";
import { availabilityResponse, physicianResponse } from "@/lib/practice/physicians/schema";
import { type Basics, call, seedBasics, seedPhysician, tokenFor } from "@/tests/support/api";
import { historyOf } from "@/tests/support/history";

let basics: Basics;
let token: string;

beforeAll(async () => {
  basics = await seedBasics();
  token = basics.token;
});

const required = {
  first_name: "Grace",
  last_name: "Okafor",
  email: "grace.okafor@example.org",
  npi: "1098765432",
  license: "B200",
  license_state: "NY",
};

const ids = (body: { results: { id: number }[] }) => body.results.map(({ id }) => id);

describe("200", () => {
  test("a physician has exactly the fields of the contract", async () => {
    const { status, body, headers } = await call("GET", `physicians/${basics.physicians.enabled}`, { token });
    expect([status, headers.get("etag")]).toEqual([200, '"1"']);
    expect(physicianResponse.strict().parse(body)).toMatchObject({
      id: basics.physicians.enabled,
      practice: basics.enabled,
      credentials: null,
      fax: "",
      is_active: true,
      user_id: null,
    });
  });

  test("PUT sets the given fields, leaves the rest, ignores read-only and unknown fields, and keeps history", async () => {
    const id = await seedPhysician(basics.enabled);
    await call("PATCH", `physicians/${id}/`, { token, body: { credentials: "MD", metadata: { object_id: "9" } } });
    const readOnly = {
      id: 1,
      practice: basics.foreign,
      fax: "555",
      specialty: "Surgery",
      is_active: false,
      user_id: 4,
    };
    const put = await call("PUT", `physicians/${id}/`, { token, body: { ...required, ...readOnly, unheard: "of" } });
    expect([put.status, put.headers.get("etag")]).toEqual([200, '"3"']);
    const kept = {
      credentials: "MD",
      metadata: { object_id: "9" },
      practice: basics.enabled,
      fax: "",
      is_active: true,
    };
    expect(put.body).toMatchObject({ ...required, ...kept, id });
    expect((await call("GET", `physicians/${id}/`, { token })).body).toEqual(put.body);
    expect(await historyOf("physician", id)).toMatchObject([
      { version: 2, changes: { credentials: { old: null, new: "MD" } } },
      { version: 3, changes: { first_name: { old: "Ada", new: "Grace" } }, source: "api" },
    ]);
  });

  test("null clears nullable fields, and repeating the same values creates no version", async () => {
    const id = await seedPhysician(basics.enabled);
    await call("PATCH", `physicians/${id}/`, { token, body: { credentials: "MD" } });
    const cleared = await call("PATCH", `physicians/${id}/`, { token, body: { credentials: null } });
    const again = await call("PATCH", `physicians/${id}/`, { token, body: { credentials: null } });
    expect([cleared.body.credentials, cleared.headers.get("etag"), again.headers.get("etag")]).toEqual([
      null,
      '"3"',
      '"3"',
    ]);
  });

  test("the list filters by full names in any case, and by NPI", async () => {
    const id = await seedPhysician(basics.disabled);
    await call("PUT", `physicians/${id}/`, { token, body: { ...required, last_name: "O'Neil", npi: "1999999999" } });
    expect(ids((await call("GET", "physicians/?last_name=o'NEIL", { token })).body)).toEqual([id]);
    expect(ids((await call("GET", "physicians/?first_name=GRACE&npi=1999999999", { token })).body)).toEqual([id]);
    expect(ids((await call("GET", "physicians/?last_name=Neil", { token })).body)).toEqual([]);
    expect(ids((await call("GET", "physicians/?last_name=%25", { token })).body)).toEqual([]);
  });

  test.each([["last_name"], ["-first_name"], ["npi"], ["-id"]])(
    "the list ordered by %s is the same when paged",
    async (order) => {
      const whole = await call("GET", `physicians/?order_by=${order}`, { token });
      const found: number[] = [];
      for (let next = `physicians/?order_by=${order}&limit=2`; next; ) {
        const page = await call("GET", next, { token });
        for (const entry of page.body.results) physicianResponse.strict().parse(entry);
        found.push(...ids(page.body));
        next = page.body.next;
      }
      expect(found).toEqual(ids(whole.body));
      expect(found).not.toContain(basics.physicians.foreign);
    },
  );
});

describe("200 availabilities", () => {
  const monday = { weekday: 1, start_time: "09:00", end_time: "12:30:15" };
  const sunday = { weekday: 0, start_time: "00:00", end_time: "23:59", service_location_id: 0, appointment_types: [0] };
  beforeAll(async () => {
    const whole = await tokenFor({ organizationId: basics.organization, practices: [basics.enabled] });
    const create = async (path: string, fields: object) =>
      (await call("POST", path, { token: whole, body: { practice: basics.enabled, ...fields } })).body.id;
    const place = { name: "Main", address_line1: "1 Main St", state: "MA" };
    sunday.service_location_id = await create("service_locations/", place);
    sunday.appointment_types = [await create("appointment_types/", { name: "Visit", default_duration: 30 })];
  });
  const put = (id: number, availabilities: unknown) =>
    call("PUT", `physicians/${id}/availabilities/`, { token, body: { availabilities } });

  test("PUT replaces the week and returns ids and the practice's time zone", async () => {
    const id = await seedPhysician(basics.enabled);
    await db.run(sql`UPDATE practice SET timezone = 'America/Denver' WHERE id = ${basics.enabled}`);
    const { status, body, headers } = await put(id, [monday, sunday]);
    expect([status, headers.get("etag")]).toEqual([200, '"2"']);
    const common = { id: expect.any(Number), provider_id: id, timezone: "America/Denver" };
    const zone = { use_service_location_timezone: false };
    expect(body).toEqual([
      {
        ...common,
        ...zone,
        weekday: 0,
        start_time: "00:00:00",
        end_time: "23:59:00",
        service_location_id: sunday.service_location_id,
      },
      { ...common, ...zone, weekday: 1, start_time: "09:00:00", end_time: "12:30:15", service_location_id: null },
    ]);
    for (const block of body) availabilityResponse.strict().parse(block);
    expect((await call("GET", `physicians/${id}/availabilities/`, { token })).body).toEqual(body);

    const replaced = await put(id, [{ ...monday, weekday: 6 }]);
    expect(replaced.body).toMatchObject([{ weekday: 6 }]);
    expect((await put(id, [])).body).toEqual([]);
    expect(await historyOf("physician", id)).toMatchObject([
      { version: 2, changes: { availabilities: { old: [], new: [{ weekday: 0 }, { weekday: 1 }] } } },
      { version: 3, changes: { availabilities: { old: [{ weekday: 0 }, { weekday: 1 }], new: [{ weekday: 6 }] } } },
      { version: 4, changes: { availabilities: { old: [{ weekday: 6 }], new: [] } } },
    ]);
  });

  test("repeating the same week keeps its IDs and creates no version", async () => {
    const id = await seedPhysician(basics.enabled);
    const first = await put(id, [monday, sunday]);
    const again = await put(id, [sunday, { ...monday, start_time: "09:00:00" }]);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get("etag")).toBe('"2"');
  });

  test.each([
    [{}, { availabilities: ["This field is required."] }],
    [{ availabilities: [{}] }, { availabilities: [expect.objectContaining({ weekday: ["This field is required."] })] }],
    [
      { availabilities: [monday, { ...monday, weekday: 7 }] },
      { availabilities: [{}, { weekday: [expect.any(String)] }] },
    ],
    [
      { availabilities: [{ ...monday, end_time: "09:00:00" }] },
      { availabilities: [{ end_time: ["Must be after start_time."] }] },
    ],
    [{ availabilities: [{ ...monday, end_time: "24:00" }] }, { availabilities: [{ end_time: [expect.any(String)] }] }],
    [
      { availabilities: [{ ...monday, start_time: "9:00" }] },
      { availabilities: [{ start_time: [expect.any(String)] }] },
    ],
  ])("PUT rejects %j and changes nothing", async (body, errors) => {
    const id = await seedPhysician(basics.enabled);
    await put(id, [sunday]);
    const rejected = await call("PUT", `physicians/${id}/availabilities/`, { token, body });
    expect([rejected.status, rejected.body]).toEqual([400, errors]);
    expect((await call("GET", `physicians/${id}/availabilities/`, { token })).body).toHaveLength(1);
  });

  test("a stale If-Match gets 412", async () => {
    const id = await seedPhysician(basics.enabled);
    await put(id, [monday]);
    const headers = { "if-match": '"1"' };
    const body = { availabilities: [] };
    const stale = await call("PUT", `physicians/${id}/availabilities/`, { token, body, headers });
    expect(stale.status).toBe(412);
  });
});

describe("400", () => {
  test("PUT names each missing required field", async () => {
    const { status, body } = await call("PUT", `physicians/${basics.physicians.enabled}/`, { token, body: {} });
    expect(status).toBe(400);
    expect(Object.keys(body).sort()).toEqual(Object.keys(required).sort());
  });

  test.each([
    [{ email: "nobody" }, { email: ["Must be an email address."] }],
    [{ first_name: "n".repeat(51) }, { first_name: ["Must have at most 50 characters."] }],
    [{ credentials: "n".repeat(21) }, { credentials: ["Must have at most 20 characters."] }],
    [{ npi: null }, { npi: ["This field may not be null."] }],
  ])("PATCH rejects %j", async (sent, errors) => {
    const { status, body } = await call("PATCH", `physicians/${basics.physicians.enabled}/`, { token, body: sent });
    expect([status, body]).toEqual([400, errors]);
  });
});

describe("403", () => {
  test("availabilities require their parent's scope", async () => {
    const scopes = ["system/physicians.read"];
    const reader = await tokenFor({ organizationId: basics.organization, practices: [basics.enabled], scopes });
    const path = `physicians/${basics.physicians.enabled}/availabilities/`;
    expect((await call("GET", path, { token: reader })).status).toBe(200);
    expect((await call("PUT", path, { token: reader, body: { availabilities: [] } })).status).toBe(403);
  });
});

describe("404", () => {
  test.each([
    ["GET", ""],
    ["PUT", ""],
    ["PATCH", ""],
    ["GET", "availabilities/"],
    ["PUT", "availabilities/"],
  ])("%s of another organization's physician returns the same as for an absent one (%s)", async (method, below) => {
    const body = method === "GET" ? undefined : { ...required, availabilities: [] };
    const foreign = await call(method, `physicians/${basics.physicians.foreign}/${below}`, { token, body });
    const absent = await call(method, `physicians/99999999/${below}`, { token, body });
    expect([foreign.status, foreign.body]).toEqual([404, { detail: "No such physician.", code: "not_found" }]);
    expect([absent.status, absent.body]).toEqual([foreign.status, foreign.body]);
  });
});
