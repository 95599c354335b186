// Bodies that refer to records that don't exist, or that the client can't access: both get the same message.
import { beforeAll, expect, test } from "vitest";
import { call, seedCompany, seedPlan } from "../support/api";
import { type PracticeClient, seedPracticeClient } from "../support/practice";

const ABSENT = 999_999_999;
const at = "2026-01-05T09:00:00.000Z";
const message = (id: number) => `Invalid pk "${id}" - object does not exist.`;

let client: PracticeClient;
/** IDs of another organization's records, by resource. */
let foreign: Record<string, number>;

beforeAll(async () => {
  client = await seedPracticeClient();
  const { foreign: practice, physicians, stranger: token } = client.basics;
  const create = async (path: string, body: object) => (await call("POST", path, { token, body })).body.id as number;
  const place = { practice, name: "Main", address_line1: "1 Main St", state: "ME" };
  const person = { first_name: "Ann", last_name: "Page", dob: "1990-01-01", sex: "Female" };
  const company = await seedCompany(practice);
  foreign = {
    practice,
    physician: physicians.foreign,
    patient: await create("patients/", {
      ...person,
      caregiver_practice: practice,
      primary_physician: physicians.foreign,
    }),
    place: await create("service_locations/", place),
    tag: await create("document_tags/", { practice, value: "Urgent" }),
    company,
    plan: await seedPlan(practice, company),
  };
});

type Case = readonly [what: string, target: string, send: (id: number) => readonly [string, object], at: object];
const named = (field: string) => ({ [field]: ["?"] });

const CASES: readonly Case[] = [
  [
    "an allergy's patient",
    "patient",
    (patient) => ["allergies/", { patient, name: "Pollen", status: "Active" }],
    named("patient"),
  ],
  ["a note's signer", "physician", (signed_by) => ["non_visit_notes/", { ...note(), signed_by }], named("signed_by")],
  ["a note's tag", "tag", (tag) => ["non_visit_notes/", { ...note(), tags: [tag] }], named("tags")],
  [
    "a letter's recipient",
    "place",
    (id) => ["letters/", { ...letter(), send_to_contact: { id } }],
    { send_to_contact: named("id") },
  ],
  [
    "an appointment's place",
    "place",
    (id) => ["appointments/", { ...visit(), service_location: { id } }],
    named("service_location"),
  ],
  [
    "an appointment's practice",
    "practice",
    (practice) => ["appointments/", { ...visit(), practice }],
    named("practice"),
  ],
  [
    "an appointment's series",
    "place",
    (id) => ["appointments/", { ...visit(), recurring_event_schedule: id }],
    named("recurring_event_schedule"),
  ],
  [
    "a patient's practice",
    "practice",
    (id) => ["patients/", { ...person(), caregiver_practice: id }],
    named("caregiver_practice"),
  ],
  [
    "a patient's physician",
    "physician",
    (id) => ["patients/", { ...person(), primary_physician: id }],
    named("primary_physician"),
  ],
  [
    "a patient's place",
    "place",
    (id) => ["patients/", { ...person(), preferred_service_location: id }],
    named("preferred_service_location"),
  ],
  [
    "a policy's payer",
    "company",
    (id) => [policies(), { ...holder, insurance_company: id }],
    named("insurance_company"),
  ],
  ["a policy's plan", "plan", (id) => [policies(), { ...holder, insurance_plan: id }], named("insurance_plan")],
  [
    "a plan's payer",
    "company",
    (id) => ["insurance_plans/", { practice: client.practice, name: "Gold", insurance_company: id }],
    named("insurance_company"),
  ],
  [
    "a legacy insurance's payer",
    "company",
    (id) => ["patients/", { ...person(), insurances: [{ rank: "primary", insurance_company: id }] }],
    { insurances: [named("insurance_company")] },
  ],
  [
    "a message's thread",
    "place",
    (thread) => ["thread_messages/", { thread, body: "Hi", sender: client.user, send_date: at }],
    named("thread"),
  ],
];

const holder = { patient_first_name: "Maria", patient_last_name: "Lopez", patient_dob: "1980-05-17", rank: 1 };
const policies = () => `patients/${client.patient}/policies/`;
const note = () => ({ patient: client.patient, type: "Phone call", chart_date: at, document_date: at });
const letter = () => ({ patient: client.patient, practice: client.practice });
const visit = () => ({ ...letter(), physician: client.physician, scheduled_date: at });
const person = () => ({
  caregiver_practice: client.practice,
  primary_physician: client.physician,
  first_name: "Ira",
  last_name: "Blue",
  dob: "1970-01-01",
  sex: "Male",
});

test.each(CASES)("400: %s", async (_what, target, send, expected) => {
  for (const id of [ABSENT, foreign[target] as number]) {
    const [path, body] = send(id);
    const rejected = await client.post(path, body);
    const wanted = JSON.parse(JSON.stringify(expected).replace('"?"', JSON.stringify(message(id))));
    expect([rejected.status, rejected.body]).toEqual([400, wanted]);
  }
});

test("400: each of several unknown IDs in a list", async () => {
  const { body } = await client.post("non_visit_notes/", { ...note(), tags: [ABSENT, ABSENT - 1] });
  expect(body).toEqual({ tags: [message(ABSENT), message(ABSENT - 1)] });
});

test("400: in an update of a physician's week, at the block that has it", async () => {
  const block = { weekday: 1, start_time: "09:00", end_time: "12:00" };
  const availabilities = [block, { ...block, weekday: 2, service_location_id: foreign.place }];
  const path = `physicians/${client.physician}/availabilities/`;
  const { status, body } = await call("PUT", path, { token: client.token, body: { availabilities } });
  const problem = { service_location_id: [message(foreign.place as number)] };
  expect([status, body]).toEqual([400, { availabilities: [{}, problem] }]);
});
