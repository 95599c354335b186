// Staff input is normalized or rejected with a message, and an SSN leaves the server only on request.
import { beforeAll, describe, expect, test } from "vitest";
import { db, sql } from "@/lib/platform/db/sql";
import { type Basics, call, MARIA, seedBasics, seedPatient } from "../support/api";
import { type SignedIn, signInAs, staffCallAs } from "../support/staff";
import { expectStoresAgree } from "../support/stores";

let basics: Basics;
let staff: SignedIn;
let viewer: SignedIn;

beforeAll(async () => {
  basics = await seedBasics();
  const practices = [basics.enabled, basics.disabled];
  staff = await signInAs("staff", practices);
  viewer = await signInAs("viewer", practices);
});

const SSN = "123-45-6789";
const MASKED = "•••-••-6789";
const ifMatch = (version: number) => ({ "if-match": `"${version}"` });

/** Creates a patient with a policy that has these fields, through the API. */
async function seedInsuredPatient(fields: object, practice = basics.enabled) {
  const patient = await seedPatient(
    practice,
    practice === basics.enabled ? basics.physicians.enabled : basics.physicians.disabled,
  );
  const body = { ...MARIA, rank: 1, carrier: "Acme Health", ...fields };
  const created = await call("POST", `patients/${patient}/policies`, { token: basics.token, body });
  expect(created.status).toBe(201);
  const list = `practices/${practice}/patients/${patient}/policies`;
  const api = `patients/${patient}/policies/${created.body.id}`;
  const read = async () => (await call("GET", api, { token: basics.token })).body;
  return { patient, list, path: `${list}/${created.body.id}`, read, home: `practices/${practice}/patients/${patient}` };
}

describe("a policy that staff save", () => {
  test("has normalized dates of birth, ZIP codes and phone numbers", async () => {
    const { path, read, patient } = await seedInsuredPatient({});
    const typed = {
      insured_person_dob: "5/17/80",
      insured_person_zip: "048431234",
      zip: " 04843 ",
      phone: "(207) 555-0110",
      insured_person_ssn: "123456789",
      insured_person_gender: "f",
    };
    const saved = await staffCallAs(staff, "PUT", path, { body: { ...MARIA, ...typed }, headers: ifMatch(1) });
    expect(saved.status).toBe(200);
    expect(await read()).toMatchObject({
      insured_person_dob: "1980-05-17",
      insured_person_zip: "04843-1234",
      zip: "04843",
      phone: "207-555-0110",
      insured_person_ssn: SSN,
      insured_person_gender: "F",
    });
    await expectStoresAgree(patient);
  });

  test("is rejected with all problems, and nothing is stored", async () => {
    const { list, path, read } = await seedInsuredPatient({});
    const body = {
      ...MARIA,
      insured_person_dob: "soon",
      insured_person_zip: "abc",
      phone: "12",
      insurance_company: 999_999_999,
      start_date: "2026-02-01",
      end_date: "2026-01-01",
    };
    const names = ["end_date", "insurance_company", "insured_person_dob", "insured_person_zip", "phone"];
    for (const rejected of [
      await staffCallAs(staff, "PUT", path, { body, headers: ifMatch(1) }),
      await staffCallAs(staff, "POST", list, { body }),
    ]) {
      expect(rejected.status).toBe(400);
      expect(Object.keys(rejected.body).sort()).toEqual(names);
    }
    expect((await read()).version).toBe(1);
  });

  test("keeps invalid stored values until they are edited", async () => {
    const bad = { insured_person_dob: "5/17/80", insured_person_zip: "abc", phone: "12" };
    const { path, read } = await seedInsuredPatient(bad);
    expect(await read(), "the API accepts what the contract allows").toMatchObject(bad);
    const save = async (fields: object) =>
      staffCallAs(staff, "PUT", path, { body: { ...MARIA, ...fields }, headers: ifMatch((await read()).version) });
    expect((await save({ member_id: "M2" })).status).toBe(200);
    expect((await save({ ...bad, member_id: "M3" })).status).toBe(200);
    expect(await read()).toMatchObject({ ...bad, member_id: "M3" });
    expect((await save({ ...bad, phone: "13" })).body).toEqual({ phone: [expect.stringContaining("10 digits")] });
  });
});

describe("insurances that staff replace as a whole", () => {
  test("are normalized, keep invalid stored values, and keep an SSN that comes back masked", async () => {
    const { patient, home } = await seedInsuredPatient(
      { insured_person_zip: "abc", insured_person_ssn: SSN },
      basics.disabled,
    );
    const page = (await staffCallAs(staff, "GET", home)).body;
    const [insurance] = page.insurances;
    expect(insurance.insured_person_ssn).toBe(MASKED);
    const put = (fields: object) =>
      staffCallAs(staff, "PUT", `${home}/insurances`, {
        body: { insurances: [{ rank: "primary", carrier: "Acme Health", id: insurance.id, ...fields }] },
      });
    const kept = { insured_person_zip: "abc", insured_person_ssn: MASKED };
    const rejected = await put({ ...kept, phone: "12", start_date: "2026-02-01", end_date: "2026-01-01" });
    expect(rejected.status).toBe(400);
    expect(Object.keys(rejected.body.insurances[0]).sort()).toEqual(["end_date", "phone"]);
    expect((await put({ ...kept, insured_person_dob: "5/17/80" })).status).toBe(200);
    const { insurances } = (await call("GET", `patients/${patient}`, { token: basics.token })).body;
    expect(insurances).toMatchObject([
      { insured_person_zip: "abc", insured_person_ssn: SSN, insured_person_dob: "1980-05-17" },
    ]);
    await expectStoresAgree(patient);
  });
});

describe("an SSN", () => {
  test("is in no response to staff except the one that reveals it, which is audited", async () => {
    const { path, list, home, patient } = await seedInsuredPatient({ insured_person_ssn: SSN });
    const changed = { ...MARIA, insured_person_ssn: "987-65-4321" };
    await staffCallAs(staff, "PUT", path, { body: changed, headers: ifMatch(1) });
    const responses = [
      await staffCallAs(viewer, "GET", path),
      await staffCallAs(viewer, "GET", list),
      await staffCallAs(viewer, "GET", home),
      await staffCallAs(viewer, "GET", `${path}/versions`),
      await staffCallAs(viewer, "GET", `${path}/versions/1`),
      await staffCallAs(viewer, "GET", `${home}/timeline`),
      await staffCallAs(staff, "PUT", path, { body: { ...MARIA, member_id: "M7" }, headers: ifMatch(2) }),
      await staffCallAs(staff, "DELETE", path, { headers: ifMatch(3) }),
      await staffCallAs(staff, "POST", `${path}/restore`, { body: {}, headers: ifMatch(4) }),
    ];
    for (const { status, body } of responses) {
      expect(status).toBe(200);
      expect(JSON.stringify(body)).not.toMatch(/123-45|987-65/);
    }
    expect(responses[0]?.body.policy.insured_person_ssn).toBe("•••-••-4321");

    const shown = await staffCallAs(viewer, "GET", `${path}/ssn`);
    expect(shown.body).toEqual({ insured_person_ssn: "987-65-4321" });
    const entry = await db.first(sql`
      SELECT operation FROM audit_log WHERE practice_id = ${basics.enabled} ORDER BY id DESC LIMIT 1`);
    expect(entry).toEqual({ operation: "staff.policies.ssn" });
    expect(patient).toBeGreaterThan(0);
  });

  test("stays if it comes back masked, and is otherwise replaced or removed", async () => {
    const { path, read } = await seedInsuredPatient({ insured_person_ssn: SSN });
    const save = async (ssn: string | null) =>
      staffCallAs(staff, "PUT", path, {
        body: { ...MARIA, insured_person_ssn: ssn, member_id: String(Math.random()) },
        headers: ifMatch((await read()).version),
      });
    expect((await save(MASKED)).status).toBe(200);
    expect((await read()).insured_person_ssn).toBe(SSN);
    expect((await save("•••-••-0000")).status).toBe(400);
    expect((await save("987654321")).status).toBe(200);
    expect((await read()).insured_person_ssn).toBe("987-65-4321");
    expect((await save(null)).status).toBe(200);
    expect((await read()).insured_person_ssn).toBeNull();
  });
});
