// Non-visit notes: bullets have versions, and signed notes can't be changed.
import { beforeAll, describe, expect, test } from "vitest";
import { call } from "../support/api";
import { type PracticeClient, seedPracticeClient } from "../support/practice";

let client: PracticeClient;
beforeAll(async () => {
  client = await seedPracticeClient();
});

const at = "2026-01-05T09:00:00.000Z";
const body = (fields: object = {}) => ({
  patient: client.patient,
  type: "Phone call",
  chart_date: at,
  document_date: at,
  bullets: [{ text: "Called back" }],
  ...fields,
});
const create = (fields: object = {}) => client.create("non_visit_notes/", body(fields));
const read = async (id: number) => (await client.get(`non_visit_notes/${id}/`)).body;

describe("a signed note", () => {
  test("400: can't be changed, signed again or deleted", async () => {
    const id = await create({ signed_by: client.physician });
    const signed = await read(id);
    const attempts: [string, object?][] = [
      ["PUT", body({ type: "Email" })],
      ["PATCH", { bullets: [] }],
      ["PATCH", { signed_by: client.physician }],
      ["DELETE"],
    ];
    for (const [method, sent] of attempts) {
      const { token } = client;
      const response = await call(method, `non_visit_notes/${id}/`, { token, ...(sent && { body: sent }) });
      const problem = { non_field_errors: ["signed non visit notes are not editable"] };
      expect([method, response.status, response.body]).toEqual([method, 400, problem]);
    }
    expect(await read(id)).toEqual(signed);
  });

  test("is deleted with its patient", async () => {
    const person = { first_name: "Ira", last_name: "Blue", dob: "1970-01-01", sex: "Male" };
    const place = { caregiver_practice: client.practice, primary_physician: client.physician };
    const patient = await client.create("patients/", { ...person, ...place });
    const id = await create({ patient, signed_by: client.physician });
    expect((await call("DELETE", `patients/${patient}/`, { token: client.token })).status).toBe(204);
    expect((await client.get(`non_visit_notes/${id}/`)).status).toBe(404);
  });
});

test("a note without a signature is changed, signed and deleted", async () => {
  const id = await create();
  expect((await client.patch(`non_visit_notes/${id}/`, { type: "Email" })).status).toBe(200);
  const other = await create();
  expect((await call("DELETE", `non_visit_notes/${other}/`, { token: client.token })).status).toBe(204);
  const signed = await client.patch(`non_visit_notes/${id}/`, { signed_by: client.physician });
  expect([signed.status, signed.body.signed_by]).toEqual([200, client.physician]);
});

describe("bullets", () => {
  const first = { id: expect.any(Number), version: 1, updated_date: expect.any(String) };
  const update = async (id: number, bullets: object[]) =>
    (await client.patch(`non_visit_notes/${id}/`, { bullets })).body.bullets;

  test("get an ID, a version and a date, and keep them until they change", async () => {
    const id = await create({ bullets: [{ text: "One" }, { text: "Two", author: client.user }] });
    const { bullets } = await read(id);
    expect(bullets).toEqual([
      { ...first, text: "One" },
      { ...first, text: "Two", author: client.user },
    ]);
    const [one, two] = bullets;
    expect(one.id).not.toBe(two.id);
    expect(await update(id, [{ text: "Two", author: client.user }, one])).toEqual([two, one]);
    expect(await update(id, [{ id: one.id, text: "Changed" }, { text: "Three" }])).toEqual([
      { ...first, id: one.id, text: "Changed", version: 2 },
      { ...first, text: "Three" },
    ]);
  });

  test("unchanged bullets make no version of the note", async () => {
    const id = await create();
    const { bullets } = await read(id);
    const again = await client.patch(`non_visit_notes/${id}/`, { bullets });
    expect([again.headers.get("etag"), again.body.bullets]).toEqual(['"1"', bullets]);
  });

  test("of a visit note have a version, a date and their order", async () => {
    const visit = { patient: client.patient, physician: client.physician, chart_date: at, document_date: at };
    const bullets = ["Cough", "Fever"].map((text) => ({ category: "Problem", text }));
    const id = await client.create("visit_notes/", { ...visit, template: "SOAP", bullets });
    expect((await client.get(`visit_notes/${id}/`)).body.bullets).toEqual(
      bullets.map((bullet, sequence) => ({
        ...bullet,
        ...{ deleted_date: null, sequence, updated_date: expect.any(String), version: 1 },
      })),
    );
  });
});
