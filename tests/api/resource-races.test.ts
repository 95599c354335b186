// Rules that span several records hold under concurrent writes.
import { beforeAll, expect, test } from "vitest";
import { call, MARIA, seedCompany, seedPatient, seedPhysician, seedPlan } from "../support/api";
import { type PracticeClient, seedPracticeClient } from "../support/practice";
import { seedUser } from "../support/sample-records";

let { token, patient, practice, physician, get, post, patch, create } = {} as PracticeClient;
beforeAll(async () => {
  ({ token, patient, practice, physician, get, post, patch, create } = await seedPracticeClient());
});

const ROUNDS = 8;
const at = "2026-01-05T09:00:00.000Z";
const statuses = (responses: readonly { status: number }[]) => responses.map(({ status }) => status).sort();
const six = <T>(send: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: 6 }, (_, index) => send(index)));

test("a physician joins a team only once, and no two members have the same rank", async () => {
  const physicians = await Promise.all(Array.from({ length: 3 }, () => seedPhysician(practice)));
  for (let round = 0; round < ROUNDS; round += 1) {
    const team = await seedPatient(practice, physician, `Team ${round}`);
    const add = (physician_id: number | undefined) =>
      post("patient-provider-team-members/", { patient_provider_team_id: team, physician_id });
    const responses = await six((index) => add(physicians[index % 3]));
    expect(statuses(responses)).toEqual([201, 201, 201, 400, 400, 400]);
    const ranks = responses.flatMap(({ status, body }) => (status === 201 ? [body.rank] : []));
    expect(ranks.sort()).toEqual([1, 2, 3]);
  }
});

test("a report is routed to a person only once", async () => {
  const user = await seedUser(practice, "routed@example.org");
  for (let round = 0; round < ROUNDS; round += 1) {
    const report = await create("reports/", {
      patient,
      practice,
      physician,
      report_type: "Lab",
      chart_date: at,
      document_date: at,
    });
    const responses = await six(() => post(`reports/${report}/delegates/`, { user }));
    expect(statuses(responses)).toEqual([201, 400, 400, 400, 400, 400]);
  }
});

test("a bill created while its note is signed shows that the note is signed", async () => {
  const address = { address_line1: "1 Main St", city: "Salem", state: "MA", name: "Office" };
  const service_location = await create("service_locations/", { ...address, practice });
  for (let round = 0; round < ROUNDS; round += 1) {
    const note = { patient, physician, template: "SOAP", chart_date: at, document_date: at, bullets: [] };
    const visit_note = await create("visit_notes/", note);
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

test("a bill that moves to a note while the note is deleted shows the deletion, or does not move", async () => {
  const service_location = await create("service_locations/", {
    practice,
    address_line1: "1 Main St",
    city: "Salem",
    state: "MA",
    name: "Other office",
  });
  const note = { patient, physician, template: "SOAP", chart_date: at, document_date: at, bullets: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    const [visit_note, next] = [await create("visit_notes/", note), await create("visit_notes/", note)];
    const bill = await create("bills/", { patient, practice, physician, service_location, visit_note, cpts: [] });
    const [moved, deleted] = await Promise.all([
      patch(`bills/${bill}/`, { visit_note: next }),
      call("DELETE", `visit_notes/${next}/`, { token }),
    ]);
    expect([[200, 400].includes(moved.status), deleted.status]).toEqual([true, 204]);
    const { visit_note_id, visit_note_deleted_date } = (await get(`bills/${bill}/`)).body;
    expect([visit_note_id === next, visit_note_deleted_date !== null]).toEqual(Array(2).fill(moved.status === 200));
  }
});

test("orders of one thread that are discontinued and deleted at once all change", async () => {
  const order = {
    patient,
    practice,
    prescribing_physician: physician,
    auth_refills: 1,
    icd10_codes: [],
    is_doc_med: true,
    medication: { name: "lisinopril" },
    medication_type: "prescription",
    order_type: "New",
    qty: "30",
    qty_units: "BOTTLE",
    start_date: "2026-01-01",
  };
  const first = await create("medications/", { ...order, thread: { is_permanent: true } });
  const refill = () =>
    create("medications/", { ...order, order_type: "Refill", thread: { id: first, is_permanent: true } });
  const orders = [first, ...(await Promise.all(Array.from({ length: 9 }, refill)))];
  const ended = await Promise.all(orders.map((med_order) => post("discontinued_medications/", { med_order })));
  expect(statuses(ended)).toEqual(Array(10).fill(201));
  const deleted = await Promise.all(orders.map((id) => call("DELETE", `medications/${id}/`, { token })));
  expect(statuses(deleted)).toEqual(Array(10).fill(204));
});

test("a plan moves to another company, or a policy uses it, but never both", async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const [from, to] = [await seedCompany(practice, `From ${round}`), await seedCompany(practice, `To ${round}`)];
    const plan = await seedPlan(practice, from);
    const insured = await seedPatient(practice, physician, `Insured ${round}`);
    const body = { ...MARIA, insurance_company: from, insurance_plan: plan, rank: 1 };
    const [policy, moved] = await Promise.all([
      post(`patients/${insured}/policies`, body),
      patch(`insurance_plans/${plan}/`, { insurance_company: to }),
    ]);
    expect(statuses([policy, moved])).toEqual(policy.status === 201 ? [201, 400] : [200, 422]);
  }
});

test("a time that is booked while its series is deleted either stays or was not booked", async () => {
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
