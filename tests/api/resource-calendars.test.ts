// Calendars and address books: series of events, rooms, contacts, the staff, letters.
import { beforeAll, describe, expect, test } from "vitest";
import { db, sql } from "@/lib/db/sql";
import { type Answer, call } from "../support/api";
import { type PracticeClient, seedPracticeClient } from "../support/practice";

let { basics, token, patient, practice, physician, user, get, post, made } = {} as PracticeClient;
beforeAll(async () => {
  ({ basics, token, patient, practice, physician, user, get, post, made } = await seedPracticeClient());
});

const at = "2026-01-05T09:00:00.000Z";

describe("a calendar", () => {
  test("has a series at its local time, through a change of the clocks, and frees what nobody booked", async () => {
    await db.run(sql`UPDATE practice SET timezone = 'America/New_York' WHERE id = ${practice}`);
    const series = {
      physician,
      event_time: "09:30",
      duration: 30,
      series_start: "2026-03-05",
      series_stop: "2026-03-12",
    };
    const body = {
      practice,
      time_slot_type: "event",
      schedules: [{ ...series, repeats: "Weekly", dow_thursday: true }],
    };
    const group = await post("recurring_event_groups/", body);
    const [schedule] = group.body.schedules;
    expect([group.status, group.body.is_blocking]).toEqual([201, true]);
    const list = () => get("appointments/?from_date=2026-03-01&to_date=2026-03-31&order_by=scheduled_date");
    const entered = (await list()).body.results;
    expect(entered.map((one: { scheduled_date: string }) => one.scheduled_date)).toEqual([
      "2026-03-05T14:30:00.000Z",
      "2026-03-12T13:30:00.000Z",
    ]);
    expect(entered[0]).toMatchObject({ patient: null, recurring_event_schedule: schedule.id, is_blocking: true });
    expect((await get("recurring_event_groups/?start_date=2026-03-13")).body.results).toEqual([]);
    expect((await get(`recurring_event_groups/?physician=${physician}&end_date=2026-03-05`)).body.results).toHaveLength(
      1,
    );
    await call("DELETE", `recurring_event_groups/${group.body.id}/`, { token });
    expect((await list()).body.results).toEqual([]);
    const backwards = { ...body, schedules: [{ ...series, series_stop: "2026-03-01" }] };
    expect((await post("recurring_event_groups/", backwards)).body).toEqual({
      schedules: [{ series_stop: [expect.any(String)] }],
    });
  });

  test("knows the rooms its appointments name, each once", async () => {
    for (const room of ["Exam 1", "exam 1", "Lab", null]) {
      const status = { status: "In Room", room };
      await made("appointments/", { patient, practice, physician, scheduled_date: at, status });
    }
    const { body } = await get("appointments/rooms/");
    expect(body.results).toEqual([
      { name: "Exam 1", practice },
      { name: "Lab", practice },
    ]);
    expect((await get("appointments/rooms/", basics.stranger)).body.results).toEqual([]);
  });

  test("takes the duration of an appointment's type where none is sent", async () => {
    const appointment_type_id = await made("appointment_types/", {
      practice,
      name: "New patient",
      default_duration: 40,
    });
    const sent = { patient, practice, physician, scheduled_date: at };
    expect((await post("appointments/", { ...sent, appointment_type_id })).body.duration).toBe(40);
    expect((await post("appointments/", sent)).body.duration).toBe(15);
    expect((await post("appointments/", { ...sent, recurring_event_schedule: 7 })).status).toBe(400);
  });
});

test("contacts are searched by the beginnings of words, by place and specialty", async () => {
  const contact = { practice, contact_type: "provider", credentials: "MD", middle_name: "" };
  const specialty = { name: "Cardiology", abbreviation: "CARD" };
  const found = await made("contacts/", {
    ...contact,
    first_name: "Ana-María",
    last_name: "O'Neil",
    city: "Salem",
    state: "MA",
    specialty,
  });
  await made("contacts/", { ...contact, first_name: "Anatole", last_name: "Weiss", city: "Boston", state: "MA" });
  const ids = (answer: Answer) => answer.body.results.map((one: { id: number }) => one.id);
  for (const query of ["q=ana%20nei", "q=mar", "specialties=cardio", "city=salem", "q=ana&state=ma&specialties=card"]) {
    expect([query, ids(await get(`contacts/search/?${query}`))]).toEqual([query, [found]]);
  }
  expect(ids(await get("contacts/search/?q=anat"))).toHaveLength(1);
  expect(ids(await get("contacts/search/?q=ana", basics.stranger))).toEqual([]);
});

test("the staff of a practice is listed, and of no other", async () => {
  const { body } = await get("office_staff/");
  expect(body.results).toMatchObject([{ user_id: user, first_name: "Jo", last_name: "Park", practice }]);
  expect((await get(`office_staff/${body.results[0].id}/`, basics.stranger)).status).toBe(404);
  expect((await get("office_staff/", basics.stranger)).body.results).toEqual([]);
});

test("a letter goes to a contact of the practice, and is found by who got it", async () => {
  const contact = {
    practice,
    contact_type: "provider",
    credentials: "MD",
    middle_name: "",
    first_name: "Ida",
    last_name: "Sommer",
  };
  const id = await made("contacts/", contact);
  const letter = await post("letters/", { patient, practice, send_to_contact: { id }, body: "Dear colleague" });
  expect(letter.body).toMatchObject({ display_to: "Ida Sommer", send_to_contact: { id, last_name: "Sommer" } });
  for (const query of [`recipient_id=${id}`, "recipient_name=ida%20sommer"]) {
    expect((await get(`letters/?${query}`)).body.results).toMatchObject([{ id: letter.body.id }]);
  }
  const refused = await post("letters/", { patient, practice, send_to_contact: { id: 999_999 } });
  expect(refused.body).toEqual({ send_to_contact: { id: [expect.any(String)] } });
});
