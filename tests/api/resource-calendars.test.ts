// Calendars and address books: series of events, rooms, contacts, staff and letters.
import { beforeAll, describe, expect, test } from "vitest";
import { db, sql } from "@/lib/platform/db/sql";
import { type ApiResponse, call } from "../support/api";
import { type PracticeClient, seedPracticeClient } from "../support/practice";
import { createListener } from "../support/webhook-clients";

let { basics, token, patient, practice, physician, user, get, post, patch, create } = {} as PracticeClient;
beforeAll(async () => {
  ({ basics, token, patient, practice, physician, user, get, post, patch, create } = await seedPracticeClient());
});

const at = "2026-01-05T09:00:00.000Z";

describe("a calendar", () => {
  test("has a series at its local time across daylight saving changes, and frees unbooked times", async () => {
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

  test("lists a series once, by the days of its schedules", async () => {
    const schedule = (days: object) => ({ physician, event_time: "09:30", duration: 30, repeats: "Weekly", ...days });
    const group = async (...schedules: object[]): Promise<number> =>
      create("recurring_event_groups/", { practice, time_slot_type: "event", schedules });
    const winter = schedule({ series_start: "2028-01-03", series_stop: "2028-01-31" });
    const summer = schedule({ series_start: "2028-06-05", series_stop: "2028-06-26" });
    const one = await group(winter);
    const two = await group(winter, summer, summer);
    const once = await group({ ...winter, repeats: undefined, series_stop: undefined });
    const endless = await group(schedule({ series_start: "2028-01-03" }));
    for (const [query, ids] of [
      ["start_date=2028-01-01", [one, two, once, endless]],
      ["start_date=2028-01-04", [one, two, endless]],
      ["start_date=2028-06-01", [two, endless]],
      ["start_date=2040-01-01", [endless]],
      ["end_date=2028-01-03", [one, two, once, endless]],
      ["end_date=2028-01-02", []],
      ["start_date=2028-03-01&end_date=2028-05-01", [endless]],
      ["start_date=2028-03-01&end_date=2028-06-05", [two, endless]],
      [`physician=${physician}&start_date=2028-06-01`, [two, endless]],
    ] as const) {
      for (const page of ["", "&offset=0", "&order_by=-id", "&order_by=created_date"]) {
        const { body } = await get(`recurring_event_groups/?${query}${page}`);
        const found = body.results.map(({ id }: { id: number }) => id);
        expect([query + page, found.sort((a: number, b: number) => a - b)]).toEqual([query + page, ids]);
        if (page === "&offset=0") expect([query, body.count]).toEqual([query, ids.length]);
      }
    }
    const { body } = await get("recurring_event_groups/?start_date=2028-06-01&limit=1");
    const next = await call("GET", body.next, { token });
    expect([...body.results, ...next.body.results].map(({ id }) => id)).toEqual([two, endless]);
    expect(next.body.next).toBeNull();
    for (const id of [one, two, once, endless]) await call("DELETE", `recurring_event_groups/${id}/`, { token });
  });

  test("creates all times of a year-long series at once", async () => {
    const days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
    const named = Object.fromEntries(days.map((day) => [`dow_${day}`, true]));
    const schedule = { physician, event_time: "08:00", duration: 20, series_start: "2031-01-01", ...named };
    const body = (schedules: object[]) => ({ practice, time_slot_type: "appointment_slot", schedules });
    const { client } = await createListener(basics, "https://hooks.example.org/slots", "appointments");
    const group = await post("recurring_event_groups/", body([schedule]));
    expect(group.status).toBe(201);
    const of = group.body.schedules[0].id;
    const state = () =>
      db.first(sql`
        SELECT count(*) AS records, count(*) FILTER (WHERE r.deleted_date IS NULL) AS shown,
          sum((SELECT count(*) FROM resource_key k WHERE k.record_id = r.id))::int AS keys,
          sum((SELECT count(*) FROM record_version v WHERE v.record_type = 'appointments' AND v.record_id = r.id
            AND v.version = r.version AND v.practice_id = r.practice_id))::int AS versions,
          sum((SELECT count(*) FROM published_event e WHERE e.resource = 'appointments' AND e.resource_id = r.id
            AND e.client_id = ${client.id} AND e.event_type = CASE WHEN r.version = 1 THEN 'saved'::event_type ELSE 'deleted' END))::int AS events
        FROM resource_record r WHERE r.resource = 'appointments' AND (r.data ->> 'recurring_event_schedule')::bigint = ${of}`);
    expect(await state()).toEqual({ records: 366, shown: 366, keys: 366 * 6, versions: 366, events: 366 });
    const [slot] = (await get("appointments/?from_date=2031-12-30&to_date=2031-12-31")).body.results;
    const alone = await post("appointments/", slot);
    const { id: _id, created_date: _at, last_modified_date: _by, ...same } = alone.body;
    expect(slot).toMatchObject(same);
    expect((await call("DELETE", `appointments/${alone.body.id}/`, { token })).status).toBe(204);
    expect((await call("DELETE", `recurring_event_groups/${group.body.id}/`, { token })).status).toBe(204);
    expect(await state()).toMatchObject({ records: 367, shown: 0, keys: 0, versions: 367, events: 367 });

    const wrong = await post("recurring_event_groups/", body([schedule, { ...schedule, physician: 999_999 }]));
    expect(wrong.body).toEqual({ schedules: [{}, { physician: [expect.any(String)] }] });
    const many = { ...schedule, series_stop: "2033-06-30" };
    const rejected = await post("recurring_event_groups/", body(Array(6).fill(many)));
    expect([rejected.status, rejected.body]).toEqual([400, { schedules: [expect.stringContaining("5000")] }]);
  });

  test("lists each room of its appointments once", async () => {
    for (const room of ["Exam 1", "exam 1", "Lab", null]) {
      const status = { status: "In Room", room };
      await create("appointments/", { patient, practice, physician, scheduled_date: at, status });
    }
    const { body } = await get("appointments/rooms/");
    expect(body.results).toEqual([
      { name: "Exam 1", practice },
      { name: "Lab", practice },
    ]);
    expect((await get("appointments/rooms/", basics.stranger)).body.results).toEqual([]);
  });

  test("uses the duration of the appointment type if none is sent", async () => {
    const appointment_type_id = await create("appointment_types/", {
      practice,
      name: "New patient",
      default_duration: 40,
    });
    const sent = { patient, practice, physician, scheduled_date: at };
    expect((await post("appointments/", { ...sent, appointment_type_id })).body.duration).toBe(40);
    expect((await post("appointments/", sent)).body.duration).toBe(15);
    expect((await post("appointments/", { ...sent, recurring_event_schedule: 7 })).status).toBe(400);
  });

  test("has no appointment of zero length, even if its type allows it", async () => {
    const type = { practice, name: "Short" };
    for (const default_duration of [-30, 0, 1_441]) {
      const rejected = await post("appointment_types/", { ...type, default_duration });
      expect([rejected.status, rejected.body]).toEqual([400, { default_duration: [expect.any(String)] }]);
    }
    const appointment_type_id = await create("appointment_types/", { ...type, default_duration: 10 });
    expect((await patch(`appointment_types/${appointment_type_id}/`, { default_duration: 0 })).status).toBe(400);
    // Like one that was stored before limits existed.
    const short = JSON.stringify({ default_duration: -30 });
    await db.run(sql`UPDATE resource_record SET data = data || ${short}::jsonb WHERE id = ${appointment_type_id}`);
    expect((await get(`appointment_types/${appointment_type_id}/`)).body.default_duration).toBe(-30);
    const { body } = await post("appointments/", {
      patient,
      practice,
      physician,
      scheduled_date: at,
      appointment_type_id,
    });
    expect(body.duration).toBe(15);
    expect((await call("PUT", `appointments/${body.id}/`, { token, body })).status).toBe(200);
  });
});

test("contacts are searched by prefixes of words, place and specialty", async () => {
  const contact = { practice, contact_type: "provider", credentials: "MD", middle_name: "" };
  const specialty = { name: "Cardiology", abbreviation: "CARD" };
  const found = await create("contacts/", {
    ...contact,
    first_name: "Ana-María",
    last_name: "O'Neil",
    city: "Salem",
    state: "MA",
    specialty,
  });
  await create("contacts/", { ...contact, first_name: "Anatole", last_name: "Weiss", city: "Boston", state: "MA" });
  const ids = (response: ApiResponse) => response.body.results.map((one: { id: number }) => one.id);
  for (const query of ["q=ana%20nei", "q=mar", "specialties=cardio", "city=salem", "q=ana&state=ma&specialties=card"]) {
    expect([query, ids(await get(`contacts/search/?${query}`))]).toEqual([query, [found]]);
  }
  expect(ids(await get("contacts/search/?q=anat"))).toHaveLength(1);
  expect(ids(await get("contacts/search/?q=ana", basics.stranger))).toEqual([]);
});

test("lists only the staff of the practice", async () => {
  const { body } = await get("office_staff/");
  expect(body.results).toMatchObject([{ user_id: user, first_name: "Jo", last_name: "Park", practice }]);
  expect((await get(`office_staff/${body.results[0].id}/`, basics.stranger)).status).toBe(404);
  expect((await get("office_staff/", basics.stranger)).body.results).toEqual([]);
});

test("a letter goes to a contact of the practice and is found by recipient", async () => {
  const contact = {
    practice,
    contact_type: "provider",
    credentials: "MD",
    middle_name: "",
    first_name: "Ida",
    last_name: "Sommer",
  };
  const id = await create("contacts/", contact);
  const letter = await post("letters/", { patient, practice, send_to_contact: { id }, body: "Dear colleague" });
  expect(letter.body).toMatchObject({ display_to: "Ida Sommer", send_to_contact: { id, last_name: "Sommer" } });
  for (const query of [`recipient_id=${id}`, "recipient_name=ida%20sommer"]) {
    expect((await get(`letters/?${query}`)).body.results).toMatchObject([{ id: letter.body.id }]);
  }
  const rejected = await post("letters/", { patient, practice, send_to_contact: { id: 999_999 } });
  expect(rejected.body).toEqual({ send_to_contact: { id: [expect.any(String)] } });
});
