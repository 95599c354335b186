// Clients of the contract send values of other types than declared. They are accepted, and stored as declared. With
// `Prefer: handling=strict`, they are rejected.
import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { call, MARIA } from "@/tests/support/api";
import { signInAs, staffCallAs } from "@/tests/support/staff";
import { seedWorld, type World } from "@/tests/support/world";

let world: World;
let token: string;

beforeAll(async () => {
  world = await seedWorld();
  token = world.basics.token;
});

const send = (method: string, path: string, body: unknown, prefer?: string) =>
  call(method, world.at(path), { token, body, headers: prefer === undefined ? {} : { prefer } });

/** Returns a body that an endpoint accepts, with other fields. */
const bodyFor = (path: string, fields: object) => ({ ...(world.bodies[path] as object), ...fields });

const id = (resource: string) => world.records[resource] as number;

/** By path: fields as a client sends them, and as responses show them. */
const ACCEPTED: [what: string, path: string, fields: () => object, shown: () => object][] = [
  ["IDs as strings", "allergies", () => ({ patient: String(id("patients")) }), () => ({ patient: id("patients") })],
  [
    "numbers as strings, in lists and objects",
    "lab_orders",
    () => ({ ccs: [String(id("contacts"))], facility: null }),
    () => ({ ccs: [id("contacts")] }),
  ],
  ["one of several numbers as a string", "drug_intolerances", () => ({ status: "2" }), () => ({ status: 2 })],
  ["a decimal as a number", "billing_codes", () => ({ charge: 12.5 }), () => ({ charge: "12.5" })],
  [
    "an empty string for a unit that can be null",
    "medication_order_templates",
    () => ({ qty: 2, qty_units: "" }),
    () => ({ qty: "2", qty_units: null }),
  ],
  [
    "an empty string for a status that can be null",
    "problems",
    () => ({ verification_status: "" }),
    () => ({ verification_status: null }),
  ],
  ["an empty string for a time zone", "service_locations", () => ({ timezone: "" }), () => ({ timezone: null })],
];

/** Forms that strict handling accepts as well, because they are declared. */
const DECLARED: typeof ACCEPTED = [
  ["an empty string that can't be null", "drug_intolerances", () => ({ severity: "" }), () => ({ severity: "" })],
  [
    "null entries of lists of IDs",
    "lab_orders",
    () => ({ ccs: [null, id("contacts"), null], tags: [null] }),
    () => ({ ccs: [id("contacts")], tags: [] }),
  ],
  [
    "null entries of lists of objects",
    "non_visit_notes",
    () => ({ note_documents: [null], note_items: [null] }),
    () => ({ note_documents: [], note_items: [] }),
  ],
  // Another person each time, because the practice accepts nobody twice.
  [
    "other names of time zones",
    "patients",
    () => ({ timezone: "US/Eastern", first_name: randomUUID() }),
    () => ({ timezone: "US/Eastern" }),
  ],
];

test.each([...ACCEPTED, ...DECLARED])(
  "accepts %s (%s), stored in the declared form",
  async (_what, path, fields, shown) => {
    const created = await send("POST", path, bodyFor(path, fields()));
    expect([created.status, created.body]).toEqual([201, expect.objectContaining(shown())]);
    const stored = await call("GET", `${path}/${created.body.id}`, { token });
    expect(stored.body).toMatchObject(shown());
  },
);

test.each(ACCEPTED)("rejects %s (%s) under strict handling", async (_what, path, fields) => {
  const { status, body, headers } = await send("POST", path, bodyFor(path, fields()), "handling=strict");
  expect([status, headers.get("preference-applied")]).toEqual([400, "handling=strict"]);
  expect(Object.keys(fields())).toEqual(expect.arrayContaining(Object.keys(body)));
});

test.each(DECLARED)("accepts %s (%s) under strict handling, too", async (_what, path, fields) => {
  expect((await send("POST", path, bodyFor(path, fields()), "handling=strict")).status).toBe(201);
});

describe("a policy", () => {
  const policies = "patients/[id]/policies";

  test("takes ranks as strings and amounts as numbers, on POST, PUT and PATCH", async () => {
    const created = await send("POST", policies, { ...MARIA, rank: "3", copay: 25, deductible: "" });
    expect(created.body).toMatchObject({ rank: 3, copay: "25.00", deductible: null });
    const path = `${policies}/${created.body.id}`;
    const put = await send("PUT", path, { ...MARIA, rank: "3", copay: 30.5, payment_program: "" });
    expect(put.body).toMatchObject({ rank: 3, copay: "30.50", payment_program: null });
    expect((await send("PATCH", path, { copay: -1 })).body).toMatchObject({ copay: "-1.00" });
    expect((await send("PATCH", path, { copay: 1 }, "handling=strict")).body).toEqual({ copay: [expect.any(String)] });
  });

  test.each([
    ["rank", ["4", "1.5", "first", "", true, [1]]],
    ["copay", [1.555, 1e12, 1e300, "12,5", true, [5]]],
    ["insurance_company", ["1e3", "0x10", " 1", "1 ", "1.5", "9007199254740993", "-1", "", true]],
    ["member_id", [12345, true]],
    ["start_date", [20_240_101, ""]],
  ])("rejects other values of %s", async (field, values) => {
    for (const value of values) {
      const { status, body } = await send("PATCH", `${policies}/[policy_id]`, { [field]: value });
      expect([value, status, Object.keys(body)]).toEqual([value, 400, [field]]);
    }
  });
});

test("staff endpoints accept only the declared form, and name no parameters", async () => {
  const { basics } = world;
  const staff = await signInAs("staff", [basics.disabled]);
  const path = `practices/${basics.disabled}/patients/${id("patients")}/policies`;
  const post = (rank: number | string) =>
    staffCallAs(staff, "POST", `${path}?page=2`, { body: { ...MARIA, rank }, headers: { prefer: "handling=strict" } });
  expect((await post("3")).body).toEqual({ rank: [expect.any(String)] });
  const { headers } = await post(3);
  expect([headers.has("x-ignored-parameters"), headers.has("preference-applied")]).toEqual([false, false]);
});

test("a null entry is not an empty list of insurances, which would archive all of them", async () => {
  const { insurances } = (await call("GET", world.at("patients/[id]"), { token })).body;
  expect(insurances).not.toEqual([]);
  const { status } = await send("PATCH", "patients/[id]", { insurances: [null] });
  expect(status).toBe(400);
  expect((await call("GET", world.at("patients/[id]"), { token })).body.insurances).toEqual(insurances);
});

test("errors name the places of what is still invalid, and only those", async () => {
  const sent = { patient: String(id("patients")), name: 5, severity: "terrible" };
  const { status, body } = await send("POST", "allergies", bodyFor("allergies", sent));
  expect([status, Object.keys(body).sort()]).toEqual([400, ["name", "severity"]]);
});

test("fields with the names of Object.prototype are not converted", async () => {
  const body = `{"__proto__": {"a": 1}, "constructor": "1", ${JSON.stringify(bodyFor("allergies", { patient: String(id("patients")) })).slice(1)}`;
  const headers = { "content-type": "application/json" };
  expect((await call("POST", "allergies", { token, body, headers })).status).toBe(201);
});

test.each([
  ["consultation", { report_type: "Consultation", custom_title: null }],
  ["Fax from the county", { report_type: "Misc", custom_title: "Fax from the county" }],
])("files documents of the type %s", async (document_type, shown) => {
  const filed = await send(
    "POST",
    "patients/[id]/incoming_files",
    bodyFor("patients/[id]/incoming_files", { document_type }),
  );
  expect(filed.status).toBe(201);
  expect((await call("GET", filed.headers.get("location") as string, { token })).body).toMatchObject(shown);
});
