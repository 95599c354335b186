// Patients over HTTP: the contract's record and filters, and the deprecation of the legacy insurances.
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { clock } from "@/lib/platform/clock";
import { db, sql } from "@/lib/platform/db/sql";
import { type Basics, call, seedBasics, seedCompany, seedPatient } from "../support/api";
import { imageContent } from "../support/images";
import { expectStoresAgree } from "../support/stores";

let basics: Basics;
let token: string;

beforeAll(async () => {
  basics = await seedBasics();
  token = basics.token;
});

const newPatient = (fields: object = {}) => ({
  caregiver_practice: basics.enabled,
  primary_physician: basics.physicians.enabled,
  first_name: "Maria",
  last_name: "Lopez",
  dob: "1980-05-17",
  sex: "Female",
  ...fields,
});
/** Creates a patient of the same name as the others. */
const create = async (fields: object = {}) =>
  (await call("POST", "patients?allow_duplicate=true", { token, body: newPatient(fields) })).body;

describe("the record", () => {
  test("201: a patient is created with demographics, phones and insurances; its policies exist when the response arrives", async () => {
    const company = await seedCompany(basics.enabled);
    const response = await call("POST", "patients/", {
      token,
      body: newPatient({
        address: { address_line1: "1 Elm St", city: "Boston", state: "MA", zip: "02113" },
        phones: [{ phone: "(617) 555-0100", phone_type: "Mobile" }],
        emails: [{ email: "maria@example.org" }],
        insurances: [{ rank: "primary", carrier: "Acme Health", insurance_company: company, copay: "20" }],
      }),
    });
    expect(response.status).toBe(201);
    expect(response.headers.get("location")).toMatch(new RegExp(`/api/2\\.0/patients/${response.body.id}/$`));
    expect(response.body).toMatchObject({
      address: { city: "Boston" },
      phones: [{ phone: "(617) 555-0100", phone_type: "Mobile" }],
      insurances: [{ rank: "primary", copay: "20.00", insurance_company: company }],
      deleted_insurances: [],
    });
    const policies = (await call("GET", `patients/${response.body.id}/policies`, { token })).body.results;
    expect(policies).toMatchObject([
      { rank: 1, carrier: "Acme Health", patient_insurance: response.body.insurances[0].id },
    ]);
    await expectStoresAgree(response.body.id);
  });

  test("200: PUT requires the required fields, sets the given fields and leaves the rest; PATCH requires none", async () => {
    const { id } = await create({ notes: "Prefers mornings.", vip: true });
    const put = await call("PUT", `patients/${id}`, { token, body: newPatient({ middle_name: "Ana" }) });
    expect(put.body).toMatchObject({ middle_name: "Ana", notes: "Prefers mornings.", vip: true });
    const missing = await call("PUT", `patients/${id}`, { token, body: { middle_name: "Eva" } });
    expect(missing.status).toBe(400);
    expect(Object.keys(missing.body).sort()).toEqual(Object.keys(newPatient()).sort());
    const patch = await call("PATCH", `patients/${id}`, { token, body: { notes: null } });
    expect(patch.body).toMatchObject({ middle_name: "Ana", notes: null });
  });

  test("200: a record sent back unchanged changes nothing", async () => {
    const patient = await create({ insurances: [{ rank: "primary", carrier: "Acme Health", member_id: "A1" }] });
    const read = (await call("GET", `patients/${patient.id}`, { token })).body;
    const put = await call("PUT", `patients/${patient.id}`, { token, body: read });
    expect([put.status, put.body]).toEqual([200, read]);
  });

  test("412: a write on an older version of the record writes nothing; a write on its policies counts as a newer version", async () => {
    const created = await call("POST", "patients?allow_duplicate=true", { token, body: newPatient() });
    const { id } = created.body;
    const headers = { "if-match": created.headers.get("etag") ?? "" };
    const identity = { patient_first_name: "Maria", patient_last_name: "Lopez", patient_dob: "1980-05-17" };
    await call("POST", `patients/${id}/policies`, { token, body: { ...identity, rank: 1 } });
    const body = { insurances: [] };
    expect((await call("PATCH", `patients/${id}`, { token, body, headers })).status).toBe(412);
    expect((await call("DELETE", `patients/${id}`, { token, headers })).status).toBe(412);
    const read = await call("GET", `patients/${id}`, { token });
    expect(read.body.insurances).toHaveLength(1);
    const current = { "if-match": read.headers.get("etag") ?? "" };
    expect((await call("PATCH", `patients/${id}`, { token, body, headers: current })).status).toBe(200);
    await expectStoresAgree(id);
  });

  test("every change has a version with actor, time, source and reason", async () => {
    const { id } = await create();
    const headers = { "x-change-reason": "Married" };
    await call("PATCH", `patients/${id}`, { token, body: { last_name: "Hart" }, headers });
    const versions = await db.rows(sql`SELECT version, kind, changes, actor, source, reason FROM patient_version
      WHERE patient_id = ${id} ORDER BY version`);
    expect(versions).toMatchObject([
      { version: 1, kind: "created", source: "legacy_api", actor: { type: "client" } },
      { version: 2, kind: "updated", changes: { last_name: { old: "Lopez", new: "Hart" } }, reason: "Married" },
    ]);
  });

  test.each([
    ["UTF-8", Buffer.from("Zoë says: naïve à").toString("latin1")],
    ["Latin-1", "Zoë says: naïve à"],
  ])("a reason in %s is stored as written", async (_encoding, reason) => {
    const { id } = await create();
    await call("PATCH", `patients/${id}`, { token, body: { notes: "x" }, headers: { "x-change-reason": reason } });
    const version = await db.first(sql`SELECT reason FROM patient_version WHERE patient_id = ${id} AND version = 2`);
    expect(version).toEqual({ reason: "Zoë says: naïve à" });
  });

  test.each([0, -1, 999_999_999])(
    "an insurance with the ID %d is rejected with versioning, and ignored without",
    async (id) => {
      const patient = await create();
      const body = { insurances: [{ id, rank: "primary" }] };
      const rejected = await call("PATCH", `patients/${patient.id}`, { token, body });
      const problem = { insurances: [{ id: ["Not a current insurance of this patient."] }] };
      expect([rejected.status, rejected.body]).toEqual([400, problem]);
      const without = await seedPatient(basics.disabled, basics.physicians.disabled);
      expect((await call("PATCH", `patients/${without}`, { token, body })).status).toBe(200);
      await call("DELETE", `patients/${without}`, { token });
    },
  );

  test("a number that must be greater than another is reported as such", async () => {
    const response = await call("POST", "patients", { token, body: newPatient({ primary_physician: 0 }) });
    expect(response.body).toEqual({ primary_physician: ["Must be greater than 0."] });
  });

  test("204: DELETE hides the patient, who then looks like one that never existed", async () => {
    const { id } = await create();
    expect((await call("DELETE", `patients/${id}`, { token })).status).toBe(204);
    const gone = await call("GET", `patients/${id}`, { token });
    const never = await call("GET", "patients/99999999", { token });
    expect([gone.status, gone.body]).toEqual([never.status, never.body]);
    expect((await call("DELETE", `patients/${id}`, { token })).status).toBe(404);
  });

  test("400: a practice or physician without access, a move to another practice, nested fields named in place", async () => {
    const at = async (fields: object) => (await call("POST", "patients", { token, body: newPatient(fields) })).body;
    expect(await at({ caregiver_practice: basics.foreign })).toHaveProperty("caregiver_practice");
    expect(await at({ primary_physician: basics.physicians.foreign })).toHaveProperty("primary_physician");
    expect(await at({ insurances: [{ rank: "primary" }, { rank: "fourth", zip: "12345678901" }] })).toMatchObject({
      insurances: [{}, { rank: [expect.any(String)], zip: ["Must have at most 10 characters."] }],
    });
    const { id } = await create();
    const moved = await call("PATCH", `patients/${id}`, { token, body: { caregiver_practice: basics.disabled } });
    expect(moved.body).toHaveProperty("caregiver_practice");
  });
});

describe("the list", () => {
  let ids: number[];
  beforeAll(async () => {
    const company = await seedCompany(basics.disabled, "List Health");
    const base = { caregiver_practice: basics.disabled, primary_physician: basics.physicians.disabled };
    const people = [
      {
        first_name: "Zoe",
        last_name: "Abara",
        dob: "1990-01-01",
        sex: "Female",
        phones: [{ phone: "617-555-0111", phone_type: "Home" }],
      },
      {
        first_name: "Yann",
        last_name: "Abara",
        dob: "1991-01-01",
        insurances: [{ rank: "primary", member_id: "LIST1", group_id: "LG", insurance_company: company }],
      },
      {
        first_name: "Xiu",
        last_name: "Chen",
        dob: "1990-01-01",
        insurances: [{ rank: "secondary", member_id: "LIST2" }],
      },
    ];
    ids = [];
    for (const person of people) ids.push((await create({ ...base, ...person })).id);
    await call("PATCH", `patients/${ids[2]}`, { token, body: { insurances: [] } });
  });

  const list = async (query: string) => {
    const response = await call("GET", `patients/?practice=${basics.disabled}&${query}`, { token });
    expect(response.status, JSON.stringify(response.body)).toBe(200);
    return response.body.results.map(({ id }: { id: number }) => ids.indexOf(id));
  };

  test.each([
    ["last_name=ABARA", [0, 1]],
    ["first_name=xiu", [2]],
    ["dob=1990-01-01", [0, 2]],
    ["dob=1990-01-01&last_name=chen", [2]],
    ["phone_number=%28617%29+555+0111", [0]],
    ["member_id=LIST1", [1]],
    ["member_id=list1", []],
    ["group_id=LG", [1]],
    ["member_id=LIST2", []],
    ["order_by=-first_name", [0, 1, 2]],
    ["order_by=last_name&limit=1", [0]],
    ["last_modified__gt=2001-01-01T00:00:00Z", [0, 1, 2]],
    ["last_modified__lt=2001-01-01", []],
    ["sex=Male", []],
  ])("%s", async (query, expected) => {
    expect(await list(query)).toEqual(expected);
  });

  test("a patient is its own master until it is merged", async () => {
    expect(await list(`master_patient=${ids[1]}`)).toEqual([1]);
    expect(await list(`master=${ids[2]}`)).toEqual([2]);
  });

  test("filtering by another organization's practice finds nothing", async () => {
    const response = await call("GET", `patients/?practice=${basics.disabled}`, { token: basics.stranger });
    expect(response.body.results).toEqual([]);
  });
});

describe("the deprecation clock", () => {
  const set = (fields: { mode?: string; rehearsal?: string | null; date?: string }) =>
    db.run(sql`UPDATE practice SET deprecation_mode = ${fields.mode ?? "announce"},
      rehearsal_time = ${fields.rehearsal ?? null}, deprecation_date = ${fields.date ?? "2025-10-31"}
      WHERE id = ${basics.enabled}`);
  afterEach(async () => {
    await set({});
  });

  test("announce: reads and writes succeed and announce the deprecation date and the successor", async () => {
    const id = await seedPatient(basics.enabled, basics.physicians.enabled);
    const response = await call("PATCH", `patients/${id}`, { token, body: { insurances: [{ rank: "primary" }] } });
    expect(response.status).toBe(200);
    expect(response.headers.get("deprecation")).toBe(`@${Date.parse("2025-10-31T00:00:00Z") / 1000}`);
    expect(response.headers.get("sunset")).toBe("Fri, 31 Oct 2025 00:00:00 GMT");
    expect(response.headers.get("link")).toContain(`/api/2.0/patients/${id}/policies>; rel="successor-version"`);
    const body = newPatient({ insurances: [{ rank: "primary" }] });
    const { headers } = await call("POST", "patients/?dry_run=true&allow_duplicate=true", { token, body });
    const names = ["deprecation", "sunset", "link", "etag", "location"];
    expect(names.filter((name) => headers.has(name))).toEqual(["deprecation", "sunset", "link"]);
  });

  test("a list names the policies of all its patients in headers that can be parsed", async () => {
    await seedPatient(basics.enabled, basics.physicians.enabled);
    const { headers } = await call("GET", "patients/?limit=2", { token });
    const [, uri = "", rel] = /^<([^>]*)>; rel="([\w-]+)"/.exec(headers.get("link") ?? "") ?? [];
    expect([rel, new URL(uri).href, /[{}]/.test(uri)]).toEqual(["deprecation", uri, false]);
    expect(headers.get("link-template")).toBe(
      '"http://localhost:3000/api/2.0/patients/{patient_id}/policies"; rel="successor-version"',
    );
  });

  test("enforce: unchanged until the last second; from the date on 422, and reads without both arrays", async () => {
    const id = await seedPatient(basics.enabled, basics.physicians.enabled);
    const write = () => call("PATCH", `patients/${id}`, { token, body: { insurances: [{ rank: "primary" }] } });
    await set({ mode: "enforce", rehearsal: "2025-10-30T23:59:59Z" });
    expect((await write()).status).toBe(200);
    await set({ mode: "enforce", rehearsal: "2025-10-31T00:00:00Z" });
    const rejected = await write();
    expect([rejected.status, rejected.body.code]).toEqual([422, "legacy_insurances_deprecated"]);
    for (const [method, path] of [
      ["PATCH", `patients/${id}`] as const,
      ["POST", "patients/?allow_duplicate=true"] as const,
    ]) {
      expect((await call(method, path, { token, body: newPatient({ insurances: [] }) })).status).toBe(422);
    }
    const read = await call("GET", `patients/${id}`, { token });
    expect(read.body).not.toHaveProperty("insurances");
    expect(read.body).not.toHaveProperty("deleted_insurances");
    expect(read.headers.get("deprecation")).toBeNull();
    expect((await call("PATCH", `patients/${id}`, { token, body: { notes: "still fine" } })).status).toBe(200);
    expect((await call("GET", `patients/${id}/policies`, { token })).body.results).toHaveLength(1);
    await set({ mode: "enforce", date: clock.now().toISOString().slice(0, 10), rehearsal: "2025-01-01T00:00:00Z" });
    expect((await write()).status).toBe(200);
  });
});

describe("cards by rank", () => {
  test("an unreadable image and an unknown rank or side get 400; an absent card gets 404", async () => {
    const id = await seedPatient(basics.disabled, basics.physicians.disabled);
    const path = `patients/${id}/insurance_cards`;
    const image = await imageContent(1);
    const post = (body: object) => call("POST", path, { token, body });
    expect((await post({ rank: 4, side: 1, image })).body).toHaveProperty("rank");
    expect((await post({ rank: 1, side: 0, image })).body).toHaveProperty("side");
    expect((await post({ rank: 1, side: 1, image: { ...image, base64_content: "aGVsbG8=" } })).status).toBe(400);
    expect((await call("DELETE", `${path}?rank=1&side=1`, { token })).status).toBe(404);
    expect((await call("DELETE", path, { token })).body).toHaveProperty("rank");
    expect((await call("GET", path, { token })).body).toEqual([]);
  });

  test("a deletion without its side is rejected and deletes nothing", async () => {
    const id = await seedPatient(basics.disabled, basics.physicians.disabled);
    const path = `patients/${id}/insurance_cards`;
    for (const side of [1, 2]) {
      const body = { rank: 1, side, image: await imageContent(side) };
      expect((await call("POST", path, { token, body })).status).toBe(201);
    }
    for (const query of ["?rank=1", "?rank=1&sid=1", "?rank=1&side="]) {
      const { status, body } = await call("DELETE", path + query, { token });
      expect([query, status, Object.keys(body)]).toEqual([query, 400, ["side"]]);
    }
    expect((await call("DELETE", `${path}?rank=1`, { token })).body).toEqual({ side: ["This field is required."] });
    expect((await call("GET", path, { token })).body).toMatchObject([{ rank: 1, images: [{ side: 1 }, { side: 2 }] }]);
    expect((await call("DELETE", `${path}?rank=1&side=1`, { token })).status).toBe(204);
    expect((await call("GET", path, { token })).body).toMatchObject([{ rank: 1, images: [{ side: 2 }] }]);
  });
});
