// Rules about more than one record, held against writes that come at the same time.
import { beforeAll, expect, test } from "vitest";
import { call, seedPatient, seedPhysician } from "../support/api";
import { type PracticeClient, seedPracticeClient } from "../support/practice";
import { seedUser } from "../support/sample-records";

let { token, patient, practice, physician, get, post, patch, made } = {} as PracticeClient;
beforeAll(async () => {
  ({ token, patient, practice, physician, get, post, patch, made } = await seedPracticeClient());
});

const ROUNDS = 8;
const at = "2026-01-05T09:00:00.000Z";
const statuses = (answers: readonly { status: number }[]) => answers.map(({ status }) => status).sort();
const six = <T>(send: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: 6 }, (_, index) => send(index)));

test("a physician is in a team once, and no two members have the same rank", async () => {
  const physicians = await Promise.all(Array.from({ length: 3 }, () => seedPhysician(practice)));
  for (let round = 0; round < ROUNDS; round += 1) {
    const team = await seedPatient(practice, physician, `Team ${round}`);
    const add = (physician_id: number | undefined) =>
      post("patient-provider-team-members/", { patient_provider_team_id: team, physician_id });
    const answers = await six((index) => add(physicians[index % 3]));
    expect(statuses(answers)).toEqual([201, 201, 201, 400, 400, 400]);
    const ranks = answers.flatMap(({ status, body }) => (status === 201 ? [body.rank] : []));
    expect(ranks.sort()).toEqual([1, 2, 3]);
  }
});

test("a report is routed to somebody once", async () => {
  const user = await seedUser(practice, "routed@example.org");
  for (let round = 0; round < ROUNDS; round += 1) {
    const report = await made("reports/", {
      ...{ patient, practice, physician, report_type: "Lab", chart_date: at, document_date: at },
    });
    const answers = await six(() => post(`reports/${report}/delegates/`, { user }));
    expect(statuses(answers)).toEqual([201, 400, 400, 400, 400, 400]);
  }
});

test("a bill that is made while its note is signed says that the note is signed", async () => {
  const address = { address_line1: "1 Main St", city: "Salem", state: "MA", name: "Office" };
  const service_location = await made("service_locations/", { ...address, practice });
  for (let round = 0; round < ROUNDS; round += 1) {
    const note = { patient, physician, template: "SOAP", chart_date: at, document_date: at, bullets: [] };
    const visit_note = await made("visit_notes/", note);
    const bill = { patient, practice, physician, service_location, visit_note, cpts: [] };
    const [signed, ...bills] = await Promise.all([
      patch(`visit_notes/${visit_note}/`, { signed_by: physician, signed_date: at }),
      ...[1, 2].map(() => post("bills/", bill)),
    ]);
    expect(statuses([signed, ...bills])).toEqual([200, 201, 201]);
    const shown = (await get(`bills/?visit_note_id=${visit_note}`)).body.results;
    expect(shown.map((one: { visit_note_signed_date: string }) => one.visit_note_signed_date)).toEqual([at, at]);
  }
});

test("a time that is booked while its series is deleted stays, or was not booked", async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const series_start = `2027-02-${String(round + 1).padStart(2, "0")}`;
    const schedules = [{ physician, event_time: "09:00", duration: 10, series_start }];
    const group = await post("recurring_event_groups/", { practice, time_slot_type: "appointment_slot", schedules });
    const [slot] = (await get(`appointments/?from_date=${series_start}&to_date=${series_start}T23:00:00Z`)).body
      .results;
    const own = { ...slot, recurring_event_schedule: group.body.schedules[0].id };
    const [booked, added, removed] = await Promise.all([
      patch(`appointments/${slot.id}/`, { patient, time_slot_type: "appointment" }),
      post("appointments/", own),
      call("DELETE", `recurring_event_groups/${group.body.id}/`, { token }),
    ]);
    expect(removed.status).toBe(204);
    expect([booked.status, (await get(`appointments/${slot.id}/`)).status]).toEqual(
      booked.status === 200 ? [200, 200] : [404, 404],
    );
    if (added.status === 201) expect((await get(`appointments/${added.body.id}/`)).status).toBe(404);
    else expect(added.body).toEqual({ recurring_event_schedule: [expect.any(String)] });
  }
});
