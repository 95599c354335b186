// The owner of a record: how it gets a patient, when its owner is fixed, and when a client with several practices must name one.
import { beforeAll, describe, expect, test } from "vitest";
import { db, sql } from "@/lib/platform/db/sql";
import { absentRecords } from "@/lib/platform/errors";
import { call, seedPatient, tokenFor } from "../support/api";
import { type PracticeClient, seedPracticeClient } from "../support/practice";

let { basics, token, patient, practice, physician, user, get, post, patch, create } = {} as PracticeClient;
let another: number;
let elsewhere: number;
beforeAll(async () => {
  ({ basics, token, patient, practice, physician, user, get, post, patch, create } = await seedPracticeClient());
  another = await seedPatient(practice, physician, "Ann Page");
  elsewhere = await seedPatient(basics.disabled, basics.physicians.disabled, "Tom Reed");
});

const at = "2026-01-05T09:00:00.000Z";

describe("an unbooked time", () => {
  const daily = { event_time: "09:30", duration: 30, series_start: "2026-03-02", series_stop: "2026-03-06" };
  const week = { dow_monday: true, dow_tuesday: true, dow_wednesday: true, dow_thursday: true, dow_friday: true };
  const slots = async (): Promise<{ id: number; scheduled_date: string }[]> => {
    const schedules = [{ ...daily, ...week, physician, repeats: "Weekly" }];
    const group = await post("recurring_event_groups/", { practice, time_slot_type: "appointment_slot", schedules });
    expect(group.status).toBe(201);
    const { body } = await get("appointments/?limit=100");
    return body.results.filter(
      (one: { recurring_event_schedule: number }) => one.recurring_event_schedule === group.body.schedules[0].id,
    );
  };
  const booking = { time_slot_type: "appointment" };

  test("is booked by PATCH or PUT, as a separate version, and stays when the series is deleted", async () => {
    const [first, second, third] = await slots();
    const booked = await patch(`appointments/${first?.id}/`, { patient, ...booking });
    expect([booked.status, booked.headers.get("etag"), booked.body]).toMatchObject([
      200,
      '"2"',
      { patient, time_slot_type: "appointment", scheduled_date: first?.scheduled_date },
    ]);
    const put = { ...second, patient: another, ...booking };
    expect((await call("PUT", `appointments/${second?.id}/`, { token, body: put })).body).toMatchObject({
      id: second?.id,
      patient: another,
      ...booking,
      scheduled_date: second?.scheduled_date,
    });
    expect((await get(`appointments/?patient=${patient}`)).body.results).toMatchObject([{ id: first?.id, patient }]);
    const [version] = await db.rows<{ changes: object }>(sql`
      SELECT changes FROM record_version WHERE record_type = 'appointments' AND record_id = ${first?.id} AND version = 2`);
    expect(version?.changes).toMatchObject({ patient: { old: null, new: patient } });
    const audited = await db.rows(sql`
      SELECT kind FROM audit_log WHERE operation = 'appointments.update' AND ${patient} = ANY(patients)`);
    expect(audited).toEqual([{ kind: "change" }]);

    const [{ id: series }] = (await get("recurring_event_groups/")).body.results;
    expect((await call("DELETE", `recurring_event_groups/${series}/`, { token })).status).toBe(204);
    const left = await Promise.all([first, second, third].map((one) => get(`appointments/${one?.id}/`)));
    expect(left.map(({ status }) => status)).toEqual([200, 200, 404]);
  });

  test("is booked for a patient of its practice by the first client, and stays booked", async () => {
    const [slot] = await slots();
    const both = await tokenFor({ organizationId: basics.organization, practices: [practice, basics.disabled] });
    const path = `appointments/${slot?.id}/`;
    for (const [wanted, as, message] of [
      [999_999_999, token, ...absentRecords(999_999_999)],
      [elsewhere, token, ...absentRecords(elsewhere)],
      [elsewhere, both, "Is not a patient of this record's practice."],
    ] as const) {
      const rejected = await patch(path, { patient: wanted }, as);
      expect([rejected.status, rejected.body]).toEqual([400, { patient: [message] }]);
    }
    expect((await patch(path, { patient: null })).headers.get("etag")).toBe('"1"');
    const race = await Promise.all([patient, another].map((wanted) => patch(path, { patient: wanted })));
    expect(race.map(({ status }) => status).sort()).toEqual([200, 400]);
    const owner = race.find(({ status }) => status === 200)?.body.patient;
    for (const wanted of [owner === patient ? another : patient, null])
      expect((await patch(path, { patient: wanted })).body).toEqual({ patient: [expect.any(String)] });
    expect((await get(path)).body.patient).toBe(owner);
  });
});

describe("a record below another record", () => {
  test("moves within the same patient, but not to another patient or practice", async () => {
    const thread = (of: object) => ({ patient, practice, chart_date: at, document_date: at, ...of });
    const mine = await create("message_threads/", thread({}));
    const sibling = await create("message_threads/", thread({}));
    const theirs = await create("message_threads/", thread({ patient: another }));
    const both = await tokenFor({ organizationId: basics.organization, practices: [practice, basics.disabled] });
    const far = await post("message_threads/", thread({ patient: elsewhere, practice: basics.disabled }), both);
    const member = await create("thread_members/", { thread: mine, user, status: "Addressed" });
    const path = `thread_members/${member}/`;
    for (const [to, as] of [
      [theirs, token],
      [far.body.id, both],
      [far.body.id, token],
    ]) {
      const moved = await patch(path, { thread: to }, as);
      expect([moved.status, moved.body]).toEqual([400, { thread: [expect.any(String)] }]);
    }
    expect((await patch(path, { thread: sibling })).body).toMatchObject({ thread: sibling });
    expect((await get(`thread_members/?thread=${sibling}&patient=${patient}`)).body.results).toMatchObject([
      { id: member },
    ]);
  });

  test("belongs to a laboratory of the practice or to a shared one, and stays there", async () => {
    const both = await tokenFor({ organizationId: basics.organization, practices: [practice, basics.disabled] });
    const lab = (name: string) => create("lab_vendors/", { name, display_name: name });
    const shared = await Promise.all(["One for all", "Another"].map(lab));
    await db.run(sql`UPDATE resource_record SET practice_id = NULL WHERE id IN (${shared[0]}, ${shared[1]})`);
    const [own, second] = await Promise.all(["Ours", "Ours too"].map(lab));
    const id = await create("lab_order_compendiums/", { lab_vendor: own, name: "C" });
    const path = `lab_order_compendiums/${id}/`;
    expect((await patch(path, { lab_vendor: shared[0] })).body).toEqual({ lab_vendor: [expect.any(String)] });
    expect((await patch(path, { lab_vendor: second })).body).toMatchObject({ lab_vendor: second });

    const body = { lab_vendor: shared[0], name: "D" };
    const unsaid = await post("lab_order_compendiums/", body, both);
    expect([unsaid.status, unsaid.body]).toEqual([400, { practice_created: [expect.stringContaining("practice")] }]);
    const said = await post("lab_order_compendiums/", { ...body, practice_created: practice }, both);
    expect([said.status, said.body]).toMatchObject([201, { ...body, practice_created: practice }]);
    const found = await get(`lab_order_compendiums/?practice_created=${practice}&name=D`);
    expect(found.body.results).toEqual([said.body]);
    const moved = await patch(`lab_order_compendiums/${said.body.id}/`, { lab_vendor: shared[1] }, both);
    expect(moved.body).toMatchObject({ lab_vendor: shared[1], practice_created: practice });
    const wrong = { lab_vendor: own, name: "E", practice_created: basics.disabled };
    expect((await post("lab_order_compendiums/", wrong, both)).body).toEqual({
      practice_created: [expect.any(String)],
    });
  });
});
