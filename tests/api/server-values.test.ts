// The values that the server adds to what clients send: of patients, appointments, letters, physicians and parts of records.
import { beforeAll, describe, expect, test } from "vitest";
import { db, sql } from "@/lib/platform/db/sql";
import { call } from "../support/api";
import { type PracticeClient, seedPracticeClient } from "../support/practice";

let client: PracticeClient;
beforeAll(async () => {
  client = await seedPracticeClient();
});

const at = "2026-01-05T09:00:00.000Z";
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
let count = 0;
const newPatient = (fields: object = {}) => ({
  caregiver_practice: client.practice,
  primary_physician: client.physician,
  first_name: "Ira",
  last_name: `Blue ${++count}`,
  dob: "1970-01-01",
  sex: "Male",
  ...fields,
});

describe("a patient", () => {
  test("is active and has no tags until the client says otherwise", async () => {
    const { body } = await client.post("patients/", newPatient());
    const status = { status: "active", deceased_date: null, inactive_reason: null, notes: null };
    expect(body).toMatchObject({ tags: [], patient_status: { ...status, last_status_change: body.created_date } });
    expect((await client.get(`patients/${body.id}/`)).body).toEqual(body);
  });

  test("has the time of the last change of status, which other changes keep", async () => {
    const { body } = await client.post("patients/", newPatient());
    const patch = async (patient_status: object) =>
      (await client.patch(`patients/${body.id}/`, { patient_status })).body.patient_status;
    const noted = await patch({ notes: "Moving" });
    expect(noted).toMatchObject({ status: "active", notes: "Moving", last_status_change: body.created_date });
    const left = await patch({ status: "inactive", inactive_reason: "left_good_terms" });
    expect(left).toMatchObject({ status: "inactive", last_status_change: time });
    expect(left.last_status_change > body.created_date).toBe(true);
    expect(await patch({ notes: "Moved" })).toMatchObject({
      status: "inactive",
      notes: "Moved",
      last_status_change: left.last_status_change,
    });
  });

  test("has dates of email addresses, which stay when the list is sent again", async () => {
    const { body } = await client.post("patients/", newPatient({ emails: [{ email: "ira@example.org" }] }));
    const [first] = body.emails;
    expect(first).toEqual({ email: "ira@example.org", created_date: time, deleted_date: null });
    const emails = [{ email: "new@example.org" }, { email: "ira@example.org" }];
    const changed = await client.patch(`patients/${body.id}/`, { emails });
    expect(changed.body.emails).toEqual([{ email: "new@example.org", created_date: time, deleted_date: null }, first]);
    const again = await client.patch(`patients/${body.id}/`, { emails });
    expect(again.headers.get("etag")).toBe(changed.headers.get("etag"));
  });

  test("has IDs of its guarantor and emergency contact, and the name of its employer", async () => {
    const people = { guarantor: { first_name: "Ann" }, emergency_contact: { first_name: "Jo" } };
    const { body } = await client.post("patients/", newPatient({ ...people, employer: { code: "ACME" } }));
    expect(body).toMatchObject({
      guarantor: { id: body.id, first_name: "Ann" },
      emergency_contact: { id: body.id, first_name: "Jo" },
      employer: { code: "ACME", name: "ACME", description: null },
    });
  });
});

describe("an appointment's service location", () => {
  const place = () => ({
    ...{ practice: client.practice, name: "Main", address_line1: "1 Main St", city: "Bangor", state: "ME" },
    ...{ place_of_service: "Office", place_of_service_code: 11 },
  });
  const visit = (service_location: unknown) => ({
    ...{ patient: client.patient, practice: client.practice, physician: client.physician, scheduled_date: at },
    service_location,
  });

  test("is the location with its address, whether the client sends its ID or an object", async () => {
    const id = await client.create("service_locations/", place());
    const shown = {
      ...{ id, name: "Main", address_line1: "1 Main St", address_line2: "", city: "Bangor", state: "ME", zip: "" },
      ...{ phone: null, is_primary: false, place_of_service: 11, created_date: time, deleted_date: null },
    };
    for (const sent of [id, { id, name: "Ignored" }]) {
      const created = await client.post("appointments/", visit(sent));
      expect([created.status, created.body.service_location]).toEqual([201, shown]);
      const { body } = await client.get(`appointments/${created.body.id}/`);
      expect(body.service_location).toEqual(shown);
      // What was read can be sent back.
      const sentBack = await call("PUT", `appointments/${body.id}/`, { token: client.token, body });
      expect([sentBack.status, sentBack.body.service_location]).toEqual([200, shown]);
    }
    await client.patch(`service_locations/${id}/`, { name: "Annex" });
    const { body } = await client.get(`appointments/?patient=${client.patient}`);
    expect(body.results.map((one: { service_location: object }) => one.service_location)).toEqual(
      Array(2).fill({ ...shown, name: "Annex" }),
    );
  });

  test("has only the ID of a deleted location, and is null without one", async () => {
    const id = await client.create("service_locations/", place());
    const appointment = await client.create("appointments/", visit(id));
    await call("DELETE", `service_locations/${id}/`, { token: client.token });
    expect((await client.get(`appointments/${appointment}/`)).body.service_location).toEqual({ id });
    const nowhere = await client.create("appointments/", visit(null));
    expect((await client.get(`appointments/${nowhere}/`)).body.service_location).toBeNull();
  });
});

describe("a letter", () => {
  const contact = (fields: object = {}) => ({
    ...{ practice: client.practice, first_name: "Ada", middle_name: "", last_name: "Reyes" },
    ...{ contact_type: "provider", credentials: "MD", ...fields },
  });
  const letter = (id: number, fields: object = {}) => ({
    ...{ patient: client.patient, practice: client.practice, send_to_contact: { id }, ...fields },
  });

  test("has the type of its recipient, a way of delivery and the recipient's specialties", async () => {
    const specialty = { name: "Cardiology", abbreviation: "CARD" };
    const id = await client.create("contacts/", contact({ specialty, other_specialties: [] }));
    const { body } = await client.post("letters/", letter(id));
    expect(body).toMatchObject({
      ...{ letter_type: "provider", delivery_method: "printed", display_to: "Ada Reyes", to_number: null },
      send_to_contact: { id, specialties: [specialty] },
    });
    const order = {
      ...{ auth_number: null, consultant_name: "Ines Moor, MD", short_consultant_name: "Moor" },
      specialty,
    };
    const referred = { patient: client.patient, practice: client.practice, date_for_reEval: "2026-03-01", ...order };
    const sent = { fax_to: "2075550100", referral_order: await client.create("referral_orders/", referred) };
    expect((await client.post("letters/", letter(id, sent))).body).toMatchObject({
      ...{ letter_type: "referral", delivery_method: "fax", to_number: "2075550100" },
    });
    const chosen = await client.post("letters/", letter(id, { ...sent, delivery_method: "passport" }));
    expect(chosen.body.delivery_method).toBe("passport");
  });

  test("gives its attachments IDs, which they keep", async () => {
    const id = await client.create("contacts/", contact());
    const attachments = ["MedsList", "PatientDemog"].map((attachment_type) => ({ attachment_type }));
    const { body } = await client.post("letters/", letter(id, { attachments }));
    const [first, second] = body.attachments;
    expect([first, second]).toEqual(attachments.map((one) => ({ ...one, id: expect.any(Number) })));
    expect(first.id).not.toBe(second.id);
    const reversed = { attachments: [...attachments].reverse() };
    expect((await client.patch(`letters/${body.id}/`, reversed)).body.attachments).toEqual([second, first]);
  });
});

test("parts of a record have IDs and dates, and a part that is sent again unchanged keeps them", async () => {
  const vendor = { practice_created: client.practice, name: "LAB", display_name: "Lab" };
  const compendiums = [
    { lab_vendor: 1, name: "A" },
    { lab_vendor: 1, name: "B" },
  ];
  const { body } = await client.post("lab_vendors/", { ...vendor, compendiums, default_compendium: compendiums[0] });
  const dates = { created_date: time, deleted_date: null, last_updated: time };
  expect(body.compendiums).toEqual(compendiums.map((one) => ({ ...one, ...dates, id: expect.any(Number) })));
  expect(body.default_compendium).toEqual({ ...compendiums[0], ...dates, id: expect.any(Number) });
  const changed = { compendiums: [{ lab_vendor: 1, name: "C" }, compendiums[1]], default_compendium: compendiums[1] };
  const after = (await client.patch(`lab_vendors/${body.id}/`, changed)).body;
  const ids = body.compendiums.map(({ id }: { id: number }) => id);
  expect(ids).not.toContain(after.compendiums[0].id);
  expect(after.compendiums[1]).toEqual(body.compendiums[1]);
  expect(after.default_compendium).toMatchObject({ ...body.default_compendium, name: "B", last_updated: time });
});

test("a physician has the user ID of the staff account with the same email address", async () => {
  const email = "Grace.Hill@Example.org";
  const physician = { first_name: "Grace", last_name: "Hill", email, npi: "1", license: "2", license_state: "ME" };
  const path = `physicians/${client.physician}/`;
  const changed = await call("PUT", path, { token: client.token, body: physician });
  expect([changed.status, changed.body.user_id]).toEqual([200, null]);
  await db.run(sql`UPDATE staff_user SET email = ${email.toLowerCase()} WHERE id = ${client.user}`);
  expect((await client.get(path)).body.user_id).toBe(client.user);
  const [listed] = (await client.get("physicians/")).body.results;
  expect(listed.user_id).toBe(client.user);
});
