import { beforeAll, describe, expect, test } from "vitest";
import { companyDetailResponse, companyResponse } from "@/lib/insurance/payers/schema";
import { absentRecords } from "@/lib/platform/errors";
import { type Basics, call, seedBasics, seedCompany, seedPlan, tokenFor } from "@/tests/support/api";
import { historyOf } from "@/tests/support/history";

let basics: Basics;
let token: string;

beforeAll(async () => {
  basics = await seedBasics();
  token = basics.token;
});

const results = (body: { results: { id: number }[] }) => body.results.map(({ id }) => id);

/** Creates a patient of the practice without versioning, insured by a company and a plan. */
async function insure(company: number, plan: number | null): Promise<number> {
  const { status, body } = await call("POST", "patients/?allow_duplicate=true", {
    token,
    body: {
      caregiver_practice: basics.disabled,
      primary_physician: basics.physicians.disabled,
      first_name: "Maria",
      last_name: "Lopez",
      dob: "1980-05-17",
      sex: "Female",
      insurances: [{ rank: "primary", insurance_company: company, insurance_plan: plan }],
    },
  });
  expect([status, body]).toEqual([201, expect.anything()]);
  return body.id;
}

describe("201", () => {
  test("POST creates a company with exactly the fields of the contract, at its Location", async () => {
    const sent = {
      practice: basics.enabled,
      carrier: "Blue Harbor",
      aliases: null,
      insurance_type: "Medicare Advantage",
      is_enrolled: true,
      suite: "Suite 4",
    };
    const { status, body, headers } = await call("POST", "insurance_companies/", {
      token,
      body: { ...sent, id: 5, deleted_date: "2020-01-01T00:00:00Z", unheard: "of" },
    });
    expect([status, headers.get("etag")]).toEqual([201, '"1"']);
    expect(companyResponse.strict().parse(body)).toMatchObject({ ...sent, address: "", deleted_date: null });
    const read = await call("GET", headers.get("location") ?? "", { token });
    expect(companyDetailResponse.strict().parse(read.body)).toEqual({ ...body, patients: [], plans: [] });
    expect(await historyOf("insurance_company", body.id)).toMatchObject([
      { version: 1, kind: "created", changes: { carrier: { old: null, new: "Blue Harbor" } }, source: "api" },
    ]);
  });

  test.each([[null], ["None"], ["Self Pay"]])("insurance_type may be %j and is stored", async (insurance_type) => {
    const body = { practice: basics.enabled, carrier: "", insurance_type };
    const created = await call("POST", "insurance_companies/", { token, body });
    expect([created.status, created.body.insurance_type]).toEqual([201, insurance_type]);
  });
});

describe("200", () => {
  test("a company lists its current plans and the patients it currently insures", async () => {
    const company = await seedCompany(basics.disabled);
    const plans = [await seedPlan(basics.disabled, company), await seedPlan(basics.disabled, company, "Silver")];
    const gone = await seedPlan(basics.disabled, company, "Gone");
    await call("DELETE", `insurance_plans/${gone}/`, { token });
    const patient = await insure(company, plans[0] ?? null);
    const former = await insure(company, null);
    await call("PATCH", `patients/${former}/`, { token, body: { insurances: [] } });
    const { body } = await call("GET", `insurance_companies/${company}/`, { token });
    expect(body).toMatchObject({ plans, patients: [patient] });
  });

  test("PUT sets the given fields and leaves the rest; PATCH requires no field", async () => {
    const id = await seedCompany(basics.enabled, "Old Name");
    await call("PATCH", `insurance_companies/${id}/`, { token, body: { payer_id: "P1", phone: "555-0100" } });
    const sent = { practice: basics.enabled, carrier: "New Name", phone: null };
    const put = await call("PUT", `insurance_companies/${id}/`, { token, body: sent });
    expect([put.status, put.headers.get("etag")]).toEqual([200, '"3"']);
    expect(companyDetailResponse.strict().parse(put.body)).toMatchObject({ ...sent, payer_id: "P1" });
    const same = await call("PUT", `insurance_companies/${id}/`, { token, body: sent });
    expect(same.headers.get("etag")).toBe('"3"');
    expect((await historyOf("insurance_company", id)).map(({ changes }) => changes)).toEqual([
      { phone: { old: null, new: "555-0100" }, payer_id: { old: null, new: "P1" } },
      { carrier: { old: "Old Name", new: "New Name" }, phone: { old: "555-0100", new: null } },
    ]);
  });

  test("the list filters by one or more carriers and practices", async () => {
    const aetna = await seedCompany(basics.enabled, "Listed Aetna");
    const cigna = await seedCompany(basics.disabled, "Listed Cigna");
    const foreign = await seedCompany(basics.foreign, "Listed Aetna");
    const list = async (query: string) => results((await call("GET", `insurance_companies/?${query}`, { token })).body);
    expect(await list("carrier=listed%20AETNA")).toEqual([aetna]);
    expect(await list("carrier=listed%20aetna&carrier=listed%20cigna")).toEqual([aetna, cigna]);
    expect(await list(`carrier=Listed Aetna&carrier=Listed Cigna&practice=${basics.disabled}`)).toEqual([cigna]);
    expect(await list(`practice=${basics.enabled}&practice=${basics.disabled}&order_by=-id&limit=1`)).toEqual([cigna]);
    expect(await list(`practice=${basics.foreign}`)).toEqual([]);
    expect(await list("carrier=Listed")).toEqual([]);
    expect(await list("order_by=carrier&limit=100")).not.toContain(foreign);
  });

  test.each([["carrier"], ["-carrier"], ["created_date"], ["-created_date"]])(
    "the list ordered by %s is the same when paged, forward and back",
    async (order) => {
      for (const name of ["Paged B", "paged a", "Paged B"]) await seedCompany(basics.enabled, name);
      const whole = await call("GET", `insurance_companies/?order_by=${order}&limit=100`, { token });
      const first = await call("GET", `insurance_companies/?order_by=${order}&limit=2`, { token });
      const second = await call("GET", first.body.next, { token });
      const back = await call("GET", second.body.previous, { token });
      expect([...first.body.results, ...second.body.results]).toEqual(whole.body.results.slice(0, 4));
      expect(back.body.results).toEqual(first.body.results);
      for (const entry of whole.body.results) companyResponse.strict().parse(entry);
    },
  );
});

describe("204", () => {
  test("deleting a company deletes its plans, each with a version; records that refer to them stay", async () => {
    const company = await seedCompany(basics.disabled, "Deleted Carrier");
    const plan = await seedPlan(basics.disabled, company);
    const patient = await insure(company, plan);
    const deleted = await call("DELETE", `insurance_companies/${company}/`, { token });
    expect([deleted.status, deleted.body]).toEqual([204, new Uint8Array()]);
    for (const path of [`insurance_companies/${company}/`, `insurance_plans/${plan}/`]) {
      for (const method of ["GET", "DELETE", "PATCH"]) {
        const response = await call(method, path, { token, body: method === "PATCH" ? {} : undefined });
        expect(response.status).toBe(404);
      }
    }
    const listed = await call("GET", "insurance_companies/?carrier=Deleted%20Carrier", { token });
    expect(listed.body.results).toEqual([]);
    const plans = await call("GET", `insurance_plans/?insurance_company=${company}`, { token });
    expect(plans.body.results).toEqual([]);
    const record = await call("GET", `patients/${patient}/`, { token });
    expect(record.body.insurances).toMatchObject([{ insurance_company: company, insurance_plan: plan }]);
    const kinds = async (type: string, id: number) => (await historyOf(type, id)).map(({ kind }) => kind);
    expect(await kinds("insurance_company", company)).toEqual(["deleted"]);
    expect(await kinds("insurance_plan", plan)).toEqual(["deleted"]);
  });

  test("one of several concurrent deletes deletes the company", async () => {
    const company = await seedCompany(basics.enabled);
    const remove = () => call("DELETE", `insurance_companies/${company}/`, { token });
    const statuses = (await Promise.all([remove(), remove(), remove()])).map(({ status }) => status);
    expect(statuses.sort()).toEqual([204, 404, 404]);
  });
});

describe("400", () => {
  test("PUT and POST name each missing required field", async () => {
    const id = await seedCompany(basics.enabled);
    const message = ["This field is required."];
    for (const [method, path] of [
      ["POST", "insurance_companies/"],
      ["PUT", `insurance_companies/${id}/`],
    ] as const) {
      const { status, body } = await call(method, path, { token, body: {} });
      expect([status, body]).toEqual([400, { carrier: message, practice: message }]);
    }
  });

  test.each([
    [{ extension: "1234567" }, { extension: ["Must have at most 6 characters."] }],
    [{ suite: "s".repeat(41) }, { suite: ["Must have at most 40 characters."] }],
    [{ insurance_type: "Barter" }, { insurance_type: [expect.stringContaining("Must be one of")] }],
    [{ is_enrolled: "yes" }, { is_enrolled: ["Must be true or false."] }],
    [{ city: null }, { city: ["This field may not be null."] }],
    [{ carrier: "a\u0000b" }, { carrier: ["May not contain NUL."] }],
    [[], { non_field_errors: ["Must be an object."] }],
  ])("PATCH rejects %j", async (sent, errors) => {
    const id = await seedCompany(basics.enabled);
    const { status, body } = await call("PATCH", `insurance_companies/${id}/`, { token, body: sent });
    expect([status, body]).toEqual([400, errors]);
  });

  test("a practice without access looks like an unknown practice", async () => {
    const body = { carrier: "Blue Harbor", practice: basics.foreign };
    const rejected = { practice: absentRecords(basics.foreign) };
    const created = await call("POST", "insurance_companies/", { token, body });
    expect([created.status, created.body]).toEqual([400, rejected]);
    const id = await seedCompany(basics.enabled);
    const moved = await call("PUT", `insurance_companies/${id}/`, { token, body });
    expect([moved.status, moved.body]).toEqual([400, rejected]);
  });

  test("a company stays in its practice", async () => {
    const id = await seedCompany(basics.enabled);
    const body = { practice: basics.disabled };
    const { status, body: errors } = await call("PATCH", `insurance_companies/${id}/`, { token, body });
    expect([status, Object.keys(errors)]).toEqual([400, ["practice"]]);
  });

  test.each([["practice=first"], ["practice=1&practice=x"]])("the error for ?%s names the parameter", async (query) => {
    const { status, body } = await call("GET", `insurance_companies/?${query}`, { token });
    expect([status, body]).toEqual([400, { practice: ["Must be an integer."] }]);
  });
});

describe("403", () => {
  test("the scope of plans does not give access to companies", async () => {
    const scopes = ["system/insurance_plans.read", "system/insurance_plans.write"];
    const other = await tokenFor({ organizationId: basics.organization, practices: [basics.enabled], scopes });
    const { status, body } = await call("GET", "insurance_companies/", { token: other });
    expect([status, body.detail]).toEqual([403, expect.stringContaining("system/insurance_companies.read")]);
  });
});

describe("404", () => {
  test.each([["GET"], ["PUT"], ["PATCH"], ["DELETE"]])("%s of another organization's company", async (method) => {
    const id = await seedCompany(basics.foreign);
    const body = method === "PUT" || method === "PATCH" ? { carrier: "Mine", practice: basics.enabled } : undefined;
    const { status, body: response } = await call(method, `insurance_companies/${id}/`, { token, body });
    expect([status, response]).toEqual([404, { detail: "No such insurance company.", code: "not_found" }]);
    const own = await call("GET", `insurance_companies/${id}/`, { token: basics.stranger });
    expect([own.status, own.body.carrier]).toEqual([200, "Acme Health"]);
  });
});

describe("412", () => {
  test.each([["PUT"], ["PATCH"], ["DELETE"]])("%s on an older version changes nothing", async (method) => {
    const id = await seedCompany(basics.enabled);
    await call("PATCH", `insurance_companies/${id}/`, { token, body: { carrier: "Second" } });
    const body = method === "DELETE" ? undefined : { carrier: "Third", practice: basics.enabled };
    const stale = await call(method, `insurance_companies/${id}/`, { token, body, headers: { "if-match": '"1"' } });
    expect(stale.status).toBe(412);
    const { body: now } = await call("GET", `insurance_companies/${id}/`, { token });
    expect(now.carrier).toBe("Second");
    const fresh = await call(method, `insurance_companies/${id}/`, { token, body, headers: { "if-match": '"2"' } });
    expect(fresh.status).toBe(method === "DELETE" ? 204 : 200);
  });
});
