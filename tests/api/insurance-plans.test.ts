import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { planDetailResponse, planResponse } from "@/lib/insurance/payers/schema";
import { absentRecords } from "@/lib/platform/errors";
import { type Basics, call, MARIA, seedBasics, seedCompany, seedPatient, seedPlan } from "@/tests/support/api";
import { historyOf } from "@/tests/support/history";

let basics: Basics;
let token: string;
let company: number;

beforeAll(async () => {
  basics = await seedBasics();
  token = basics.token;
});
beforeEach(async () => {
  company = await seedCompany(basics.disabled);
});

const results = (body: { results: { id: number }[] }) => body.results.map(({ id }) => id);

describe("201", () => {
  test("POST creates a plan with exactly the fields of the contract, at its Location", async () => {
    const sent = { practice: basics.disabled, insurance_company: company, name: "Gold" };
    const { status, body, headers } = await call("POST", "insurance_plans/", { token, body: { ...sent, id: 1 } });
    expect([status, headers.get("etag")]).toEqual([201, '"1"']);
    expect(planResponse.strict().parse(body)).toMatchObject({ ...sent, deleted_date: null });
    const read = await call("GET", headers.get("location") ?? "", { token });
    expect(planDetailResponse.strict().parse(read.body)).toEqual({ ...body, patients: [] });
    expect(await historyOf("insurance_plan", body.id)).toMatchObject([{ version: 1, kind: "created" }]);
  });

  test("the same Idempotency-Key creates one plan", async () => {
    const body = { practice: basics.disabled, insurance_company: company, name: "Once" };
    const post = () =>
      call("POST", "insurance_plans/", { token, body, headers: { "idempotency-key": `k-${company}` } });
    const [first, second] = [await post(), await post()];
    expect(second.body).toEqual(first.body);
    expect(second.headers.get("location")).toBe(first.headers.get("location"));
    const listed = await call("GET", `insurance_plans/?insurance_company=${company}`, { token });
    expect(listed.body.results).toHaveLength(1);
  });
});

describe("200", () => {
  test("a plan lists the patients it currently insures", async () => {
    const plan = await seedPlan(basics.disabled, company);
    const patient = await call("POST", "patients/?allow_duplicate=true", {
      token,
      body: {
        caregiver_practice: basics.disabled,
        primary_physician: basics.physicians.disabled,
        first_name: "Maria",
        last_name: "Lopez",
        dob: "1980-05-17",
        sex: "Female",
        insurances: [{ rank: "secondary", insurance_company: company, insurance_plan: plan }],
      },
    });
    const read = () => call("GET", `insurance_plans/${plan}/`, { token });
    expect((await read()).body.patients).toEqual([patient.body.id]);
    await call("DELETE", `patients/${patient.body.id}/`, { token });
    expect((await read()).body.patients).toEqual([]);
  });

  test("PUT may move the plan to another company of the practice; PATCH may change only its name", async () => {
    const plan = await seedPlan(basics.disabled, company);
    const other = await seedCompany(basics.disabled, "Other Carrier");
    const body = { practice: basics.disabled, insurance_company: other, name: "Gold" };
    const put = await call("PUT", `insurance_plans/${plan}/`, { token, body });
    expect([put.status, put.headers.get("etag")]).toEqual([200, '"2"']);
    expect(planDetailResponse.strict().parse(put.body)).toMatchObject(body);
    const patch = await call("PATCH", `insurance_plans/${plan}/`, { token, body: { name: "Platinum" } });
    expect(patch.body).toMatchObject({ ...body, name: "Platinum" });
    expect((await historyOf("insurance_plan", plan)).map(({ changes }) => changes)).toEqual([
      { insurance_company_id: { old: company, new: other } },
      { name: { old: "Gold", new: "Platinum" } },
    ]);
  });

  test("a plan that policies use can't move to another company", async () => {
    const plan = await seedPlan(basics.enabled, await seedCompany(basics.enabled, "First Carrier"));
    const { insurance_company } = (await call("GET", `insurance_plans/${plan}/`, { token })).body;
    const other = await seedCompany(basics.enabled, "Second Carrier");
    const patient = await seedPatient(basics.enabled, basics.physicians.enabled);
    const body = { ...MARIA, insurance_company, insurance_plan: plan, rank: 1 };
    const policy = await call("POST", `patients/${patient}/policies`, { token, body });
    expect(policy.status).toBe(201);
    const move = () => call("PATCH", `insurance_plans/${plan}/`, { token, body: { insurance_company: other } });
    expect((await move()).body).toEqual({
      insurance_company: [expect.stringContaining("Add a plan to the other payer")],
    });
    await call("DELETE", `patients/${patient}/policies/${policy.body.id}`, { token });
    expect((await move()).status).toBe(400);
    const same = { practice: basics.enabled, insurance_company, name: "Renamed" };
    expect((await call("PUT", `insurance_plans/${plan}/`, { token, body: same })).status).toBe(200);
  });

  test("the list filters by one or more companies and practices", async () => {
    const second = await seedCompany(basics.enabled);
    const [a, b] = [await seedPlan(basics.disabled, company), await seedPlan(basics.enabled, second)];
    const foreignCompany = await seedCompany(basics.foreign);
    await seedPlan(basics.foreign, foreignCompany);
    const list = async (query: string) => results((await call("GET", `insurance_plans/?${query}`, { token })).body);
    expect(await list(`insurance_company=${company}`)).toEqual([a]);
    expect(await list(`insurance_company=${company}&insurance_company=${second}&order_by=-created_date`)).toEqual([
      b,
      a,
    ]);
    expect(await list(`insurance_company=${company}&practice=${basics.enabled}`)).toEqual([]);
    expect(await list(`insurance_company=${foreignCompany}`)).toEqual([]);
    expect(await list(`practice=${basics.foreign}`)).toEqual([]);
  });

  test("the list ordered by name continues past a page", async () => {
    for (const name of ["b", "A", "c"]) await seedPlan(basics.disabled, company, name);
    const first = await call("GET", `insurance_plans/?insurance_company=${company}&order_by=name&limit=2`, { token });
    const second = await call("GET", first.body.next, { token });
    const names = [...first.body.results, ...second.body.results].map(({ name }: { name: string }) => name);
    expect(names).toEqual(["A", "b", "c"]);
  });
});

describe("204", () => {
  test("a deleted plan returns 404 afterwards, and its company stays", async () => {
    const plan = await seedPlan(basics.disabled, company);
    expect((await call("DELETE", `insurance_plans/${plan}/`, { token })).status).toBe(204);
    expect((await call("DELETE", `insurance_plans/${plan}/`, { token })).status).toBe(404);
    expect((await call("GET", `insurance_plans/${plan}/`, { token })).status).toBe(404);
    expect((await call("GET", `insurance_companies/${company}/`, { token })).body.plans).toEqual([]);
    expect(await historyOf("insurance_plan", plan)).toMatchObject([{ version: 2, kind: "deleted" }]);
  });
});

describe("400", () => {
  test("PUT and POST name each missing required field", async () => {
    const plan = await seedPlan(basics.disabled, company);
    const message = ["This field is required."];
    for (const [method, path] of [
      ["POST", "insurance_plans/"],
      ["PUT", `insurance_plans/${plan}/`],
    ] as const) {
      const { status, body } = await call(method, path, { token, body: {} });
      expect([status, body]).toEqual([400, { practice: message, insurance_company: message, name: message }]);
    }
  });

  test("a company must belong to the same practice and not be deleted", async () => {
    const elsewhere = await seedCompany(basics.enabled);
    const foreign = await seedCompany(basics.foreign);
    const deleted = await seedCompany(basics.disabled);
    await call("DELETE", `insurance_companies/${deleted}/`, { token });
    const plan = await seedPlan(basics.disabled, company);
    for (const insurance_company of [elsewhere, foreign, deleted, 99999999]) {
      const body = { practice: basics.disabled, insurance_company, name: "Gold" };
      const rejected = { insurance_company: absentRecords(insurance_company) };
      const created = await call("POST", "insurance_plans/", { token, body });
      expect([created.status, created.body]).toEqual([400, rejected]);
      const patched = await call("PATCH", `insurance_plans/${plan}/`, { token, body: { insurance_company } });
      expect([patched.status, patched.body]).toEqual([400, rejected]);
    }
  });

  test("a practice without access looks like an unknown one, and a plan stays in its practice", async () => {
    const plan = await seedPlan(basics.disabled, company);
    const sent = { insurance_company: company, name: "Gold" };
    const foreign = await call("POST", "insurance_plans/", { token, body: { ...sent, practice: basics.foreign } });
    expect([foreign.status, foreign.body]).toEqual([400, { practice: absentRecords(basics.foreign) }]);
    const moved = await call("PUT", `insurance_plans/${plan}/`, { token, body: { ...sent, practice: basics.enabled } });
    expect([moved.status, Object.keys(moved.body)]).toEqual([400, ["practice"]]);
  });
});

describe("404", () => {
  test.each([["GET"], ["PUT"], ["PATCH"], ["DELETE"]])("%s of another organization's plan", async (method) => {
    const foreignCompany = await seedCompany(basics.foreign);
    const id = await seedPlan(basics.foreign, foreignCompany);
    const sent = { practice: basics.disabled, insurance_company: company, name: "Mine" };
    const body = method === "PUT" || method === "PATCH" ? sent : undefined;
    const { status, body: response } = await call(method, `insurance_plans/${id}/`, { token, body });
    expect([status, response]).toEqual([404, { detail: "No such insurance plan.", code: "not_found" }]);
  });
});

describe("concurrent requests", () => {
  test("a plan created while its company is deleted is rejected or deleted with it, never orphaned", async () => {
    for (let round = 0; round < 5; round++) {
      const doomed = await seedCompany(basics.disabled);
      const body = { practice: basics.disabled, insurance_company: doomed, name: "Late" };
      const [created, deleted] = await Promise.all([
        call("POST", "insurance_plans/", { token, body }),
        call("DELETE", `insurance_companies/${doomed}/`, { token }),
      ]);
      expect(deleted.status).toBe(204);
      expect([201, 400]).toContain(created.status);
      const left = await call("GET", `insurance_plans/?insurance_company=${doomed}`, { token });
      expect(left.body.results).toEqual([]);
    }
  });
});

describe("412", () => {
  test("a write on an older version changes nothing", async () => {
    const plan = await seedPlan(basics.disabled, company);
    await call("PATCH", `insurance_plans/${plan}/`, { token, body: { name: "Second" } });
    const headers = { "if-match": '"1"' };
    const stale = await call("PATCH", `insurance_plans/${plan}/`, { token, body: { name: "Third" }, headers });
    const removal = await call("DELETE", `insurance_plans/${plan}/`, { token, headers });
    expect([stale.status, removal.status]).toEqual([412, 412]);
    expect((await call("GET", `insurance_plans/${plan}/`, { token })).body.name).toBe("Second");
  });
});
