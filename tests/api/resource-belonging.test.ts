// References stay within a record's practice and patient, and the records of a deleted patient are hidden.
import { beforeAll, describe, expect, test } from "vitest";
import { practiceResponse } from "@/lib/api/practices/schema";
import { absentRecords } from "@/lib/platform/errors";
import { call, seedPatient, tokenFor } from "../support/api";
import { historyOf } from "../support/history";
import { type PracticeClient, seedPracticeClient } from "../support/practice";

let { basics, token, patient, practice, physician, get, post, patch, create } = {} as PracticeClient;
let other: number;
let foreignPlace: number;
const at = "2026-01-05T09:00:00.000Z";
const placeBody = (name: string) => ({ name, address_line1: "1 Main St", state: "MA" });
beforeAll(async () => {
  ({ basics, token, patient, practice, physician, get, post, patch, create } = await seedPracticeClient());
  other = await seedPatient(practice, physician, "Ben Ito");
  const neighbor = await tokenFor({ organizationId: basics.organization, practices: [basics.disabled] });
  const place = { practice: basics.disabled, ...placeBody("Elsewhere") };
  foreignPlace = (await post("service_locations/", place, neighbor)).body.id;
});

const put = (path: string, body: object) => call("PUT", path, { token, body });
const noteBody = (fields: object = {}) => ({
  patient,
  physician,
  chart_date: at,
  document_date: at,
  template: "SOAP",
  ...fields,
  bullets: [{ category: "Problem", text: "Cough" }],
});
const appointmentBody = (fields: object = {}) => ({ patient, practice, physician, scheduled_date: at, ...fields });

describe("a reference to another patient's record is rejected by", () => {
  test("vitals, for their visit note", async () => {
    const theirs = await create("visit_notes/", noteBody({ patient: other }));
    const rejected = await post("vitals/", { patient, practice, visit_note: theirs });
    expect([rejected.status, rejected.body]).toEqual([
      400,
      { visit_note: [`Belongs to another patient: visit_notes ${theirs}.`] },
    ]);
    const id = await create("vitals/", { patient, practice });
    expect((await patch(`vitals/${id}/`, { visit_note: theirs })).body).toHaveProperty("visit_note");
    expect((await patch(`vitals/${id}/`, { visit_note: await create("visit_notes/", noteBody()) })).status).toBe(200);
  });

  test("requests of forms, for the appointment", async () => {
    const appointment = await create("appointments/", appointmentBody({ patient: other }));
    const rejected = await post("patient_form_requests/", { patient, patient_forms: [], appointment });
    expect([rejected.status, rejected.body]).toEqual([
      400,
      { appointment: [`Belongs to another patient: appointments ${appointment}.`] },
    ]);
  });
});

describe("a reference to another practice's record is rejected by", () => {
  test("a physician's week, naming the block; existing references stay valid", async () => {
    const path = `physicians/${physician}/availabilities/`;
    const block = { weekday: 1, start_time: "09:00", end_time: "12:00" };
    const place = await create("service_locations/", { practice, ...placeBody("Here") });
    const week = (fields: object) => put(path, { availabilities: [block, { ...block, weekday: 2, ...fields }] });
    expect((await week({ service_location_id: foreignPlace })).body).toEqual({
      availabilities: [{}, { service_location_id: [expect.stringContaining(String(foreignPlace))] }],
    });
    expect((await week({ appointment_types: [999_999] })).body).toEqual({
      availabilities: [{}, { appointment_types: [expect.stringContaining("999999")] }],
    });
    expect((await week({ service_location_id: place })).status).toBe(200);
    await call("DELETE", `service_locations/${place}/`, { token });
    const kept = await week({ service_location_id: place, end_time: "13:00" });
    expect([kept.status, kept.body[1].service_location_id]).toEqual([200, place]);
  });

  test("a patient's preferred place", async () => {
    const problem = { preferred_service_location: absentRecords(foreignPlace) };
    expect(await patch(`patients/${patient}/`, { preferred_service_location: foreignPlace })).toMatchObject({
      status: 400,
      body: problem,
    });
    const place = await create("service_locations/", { practice, ...placeBody("Preferred") });
    const taken = await patch(`patients/${patient}/`, { preferred_service_location: place });
    expect([taken.status, taken.body.preferred_service_location]).toEqual([200, place]);
    expect((await patch(`patients/${patient}/`, { preferred_service_location: null })).status).toBe(200);
  });
});

test("references inside a field are also checked", async () => {
  const schedule = { event_time: "09:30", duration: 30, series_start: "2027-03-02", series_stop: "2027-03-03" };
  const never = { ...schedule, repeats: "Weekly", dow_monday: true, physician: basics.physicians.foreign };
  const group = await post("recurring_event_groups/", { practice, time_slot_type: "event", schedules: [never] });
  const problem = { physician: absentRecords(basics.physicians.foreign) };
  expect([group.status, group.body]).toEqual([400, { schedules: [problem] }]);
  const site = await post("lab_vendor_patient_sites/", {
    practice_created: practice,
    name: "A",
    vendor: { id: 999_999 },
  });
  expect([site.status, site.body]).toEqual([400, { vendor: { id: [expect.stringContaining("999999")] } }]);
});

test("a practice shows its service locations as their own endpoint does", async () => {
  const id = await create("service_locations/", { practice, ...placeBody("Shown") });
  const alone = (await get(`service_locations/${id}/`)).body;
  const { body } = await get(`practices/${practice}/`);
  expect(practiceResponse.strict().parse(body).service_locations).toContainEqual(alone);
  expect((await get("practices/")).body.results[0].service_locations).toContainEqual(alone);
  await call("DELETE", `service_locations/${id}/`, { token });
  const left = (await get(`practices/${practice}/`)).body.service_locations;
  expect(left.map((one: { id: number }) => one.id)).not.toContain(id);
});

test("the records of a deleted patient are deleted with the patient", async () => {
  const gone = await seedPatient(practice, physician, "Ida Berg");
  const mine = { patient: gone, practice };
  const records: [string, number][] = [
    ["allergies", await create("allergies/", { patient: gone, name: "Dust", status: "Active" })],
    ["appointments", await create("appointments/", appointmentBody({ patient: gone }))],
    ["message_threads", await create("message_threads/", { ...mine, chart_date: at, document_date: at })],
    ["visit_notes", await create("visit_notes/", noteBody({ patient: gone }))],
  ];
  expect((await call("DELETE", `patients/${gone}/`, { token })).status).toBe(204);
  for (const [resource, id] of records) {
    const responses = await Promise.all(
      ["GET", "DELETE"].map((method) => call(method, `${resource}/${id}/`, { token })),
    );
    expect([resource, ...responses.map(({ status }) => status)]).toEqual([resource, 404, 404]);
    for (const query of [`patient=${gone}`, "limit=100", "offset=0&limit=100", "order_by=created_date&limit=100"]) {
      const { body } = await get(`${resource}/?${query}`);
      expect(body.results.map((one: { id: number }) => one.id)).not.toContain(id);
    }
    expect(await historyOf(resource, id)).toMatchObject([{ kind: "created" }, { kind: "deleted", version: 2 }]);
    const listed = (await get(`${resource}/?offset=0&limit=100`)).body;
    expect([resource, listed.count]).toEqual([resource, listed.results.length]);
  }
  const thread = (records[2] as [string, number])[1];
  const message = await post("thread_messages/", { thread, sender: 1, body: "Late", send_date: at });
  expect([message.status, message.body]).toEqual([400, expect.objectContaining({ thread: [expect.any(String)] })]);
  const note = (records[3] as [string, number])[1];
  expect((await post("vitals/", { patient, practice, visit_note: note })).body).toHaveProperty("visit_note");
});

describe("values that the server sets", () => {
  test("an appointment's status keeps its time until it changes, and ignores a sent time", async () => {
    const status = { status: "Scheduled", status_date: "2000-01-01T00:00:00Z" };
    const { body } = await post("appointments/", appointmentBody({ status }));
    expect(body.status.status_date > "2026").toBe(true);
    const roomed = await patch(`appointments/${body.id}/`, { status: { status: "In Room", room: "Room 7" } });
    const moved = await patch(`appointments/${body.id}/`, { status: { status: "In Room", room: "Room 8" } });
    expect(moved.body.status).toEqual({ ...roomed.body.status, room: "Room 8" });
    expect(moved.body.status.status_date).toEqual(expect.any(String));
  });

  test("a lab order links to its printable document", async () => {
    const order = { patient, practice, document_date: at, ordering_physician: physician };
    const { body } = await post("lab_orders/", order);
    expect(body.printable_view).toMatch(new RegExp(`/api/2.0/lab_orders/${body.id}/printable/$`));
  });

  test("a letter keeps its recipient's name after the contact changes", async () => {
    const named = { first_name: "Lee", middle_name: "", last_name: "Moor" };
    const contact = await create("contacts/", { practice, ...named, contact_type: "provider", credentials: "MD" });
    const letter = { patient, practice, send_to_contact: { id: contact } };
    const id = await create("letters/", letter);
    await call("DELETE", `contacts/${contact}/`, { token });
    const { body } = await put(`letters/${id}/`, { ...letter, subject: "Follow-up" });
    expect(body).toMatchObject({ display_to: "Lee Moor", send_to_contact: { id: contact, last_name: "Moor" } });
    expect((await get("letters/?recipient_name=Lee%20Moor")).body.results).toMatchObject([{ id }]);
  });

  test("a temperature keeps its unit, Fahrenheit by default", async () => {
    const temperature = [{ value: "37", units: "celsius" }, { value: "98.6" }];
    const { body } = await post("vitals/", { patient, practice, temperature });
    expect(body.temperature.map((one: { units: string }) => one.units)).toEqual(["celsius", "fahrenheit"]);
  });
});
