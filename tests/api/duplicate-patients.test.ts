// POST /patients/ of a patient whom the practice already has.
import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { db, sql } from "@/lib/platform/db/sql";
import { absentRecords } from "@/lib/platform/errors";
import { type Basics, type CallOptions, call, seedBasics } from "../support/api";
import { signInAs, staffCallAs } from "../support/staff";

let basics: Basics;
beforeAll(async () => {
  basics = await seedBasics();
});

/** Returns a patient of a practice whom no other test creates. */
const someone = (fields: object = {}) => ({
  caregiver_practice: basics.enabled,
  primary_physician: basics.physicians.enabled,
  first_name: `Mary Ann ${randomUUID()}`,
  last_name: "O'Neil",
  dob: "1980-05-17",
  sex: "Female",
  ...fields,
});
const post = (body: object, { query = "", ...options }: CallOptions & { query?: string } = {}) =>
  call("POST", `patients/${query}`, { token: basics.token, body, ...options });
const exists = (redirect: number) => ({ detail: expect.any(String), code: "patient_exists", redirect });

describe("a patient whom the practice has", () => {
  test("409: is not created again if the name differs only in case or spaces, and the response names the first one", async () => {
    const person = someone();
    const { id } = (await post(person)).body;
    const upper = person.first_name.toUpperCase();
    for (const names of [
      {},
      { first_name: `  ${upper} `, last_name: "o'neil" },
      { first_name: upper.replace(" ", "") },
    ]) {
      const { status, body } = await post({ ...person, ...names });
      expect([status, body]).toEqual([409, exists(id)]);
    }
    const found = await call("GET", `patients/?first_name=${encodeURIComponent(person.first_name)}`, basics);
    expect(found.body.results.map((one: { id: number }) => one.id)).toEqual([id]);
  });

  test("409: the response discloses the patient, so it is audited as a read", async () => {
    const person = someone();
    const { id } = (await post(person)).body;
    await post(person);
    const entries = await db.rows(sql`
      SELECT operation, kind FROM audit_log WHERE ${id} = ANY(patients) ORDER BY occurred_date, kind`);
    expect(entries).toEqual([
      { operation: "patients.create", kind: "change" },
      { operation: "patients.find_duplicate", kind: "read" },
    ]);
  });

  test.each([
    ["date of birth", { dob: "1980-05-18" }],
    ["sex", { sex: "Male" }],
    ["last name", { last_name: "O Neill" }],
  ])("201: is another one with another %s", async (_what, fields) => {
    const person = someone();
    await post(person);
    expect((await post({ ...person, ...fields })).status).toBe(201);
  });

  test("201: is created again after the first one was deleted", async () => {
    const person = someone();
    const { id } = (await post(person)).body;
    await call("DELETE", `patients/${id}/`, basics);
    expect((await post(person)).status).toBe(201);
  });

  test("201: is created again on purpose", async () => {
    const person = someone();
    await post(person);
    const twin = await post(person, { query: "?allow_duplicate=true" });
    expect(twin.status).toBe(201);
    // The response names the one that was created first.
    expect((await post(person)).body.redirect).toBeLessThan(twin.body.id);
  });

  test("201: is created in another practice, whose clients never see the first one", async () => {
    const person = someone();
    await post(person);
    const ours = { caregiver_practice: basics.disabled, primary_physician: basics.physicians.disabled };
    expect((await post({ ...person, ...ours })).status).toBe(201);
    const theirs = { caregiver_practice: basics.foreign, primary_physician: basics.physicians.foreign };
    expect((await post({ ...person, ...theirs }, { token: basics.stranger })).status).toBe(201);
    const denied = await post(person, { token: basics.stranger });
    expect([denied.status, denied.body]).toEqual([400, { caregiver_practice: absentRecords(basics.enabled) }]);
  });

  test("is created once if several requests arrive together", async () => {
    const person = someone();
    const responses = await Promise.all(Array.from({ length: 6 }, () => post(person)));
    const [created, ...others] = responses.sort((one, other) => one.status - other.status);
    expect(created?.status).toBe(201);
    expect(others.map(({ status, body }) => [status, body])).toEqual(Array(5).fill([409, exists(created?.body.id)]));
  });

  test("is found by dry runs, which create nobody", async () => {
    const person = someone();
    expect((await post(person, { query: "?dry_run=true" })).status).toBe(200);
    const { status, body } = await post(person);
    expect(status).toBe(201);
    expect((await post(person, { query: "?dry_run=true" })).body).toEqual(exists(body.id));
  });

  test("is the result of a repeated request with the same Idempotency-Key", async () => {
    const person = someone();
    const options = { headers: { "idempotency-key": randomUUID() } };
    const [first, again] = [await post(person, options), await post(person, options)];
    expect([again.status, again.body]).toEqual([201, first.body]);
    const other = { headers: { "idempotency-key": randomUUID() } };
    const [rejected, repeated] = [await post(person, other), await post(person, other)];
    expect([rejected.status, repeated.status, repeated.body]).toEqual([409, 409, exists(first.body.id)]);
    expect(repeated.headers.get("idempotent-replayed")).toBe("true");
  });
});

describe("the setting of the practice", () => {
  test("allows duplicates, and the page shows who changed it", async () => {
    const admin = await signInAs("admin", [basics.disabled]);
    const person = someone({ caregiver_practice: basics.disabled, primary_physician: basics.physicians.disabled });
    const path = `practices/${basics.disabled}/settings/duplicates`;
    await post(person);
    const allowed = await staffCallAs(admin, "PUT", path, { body: { rejected: false } });
    expect(allowed.body).toMatchObject({
      settings: { rejects_duplicate_patients: false },
      changes: [{ changes: { rejects_duplicate_patients: { old: true, new: false } }, actor: { id: admin.userId } }],
    });
    expect((await post(person)).status).toBe(201);
    const stale = await staffCallAs(admin, "PUT", path, { body: { rejected: true }, headers: { "if-match": '"1"' } });
    expect(stale.status).toBe(412);
    expect((await staffCallAs(admin, "PUT", path, { body: { rejected: true } })).status).toBe(200);
    expect((await post(person)).status).toBe(409);
  });

  test("is changed by admins only", async () => {
    const path = `practices/${basics.enabled}/settings/duplicates`;
    for (const role of ["staff", "viewer"] as const) {
      const who = await signInAs(role, [basics.enabled]);
      expect((await staffCallAs(who, "PUT", path, { body: { rejected: false } })).status).toBe(403);
    }
  });
});
