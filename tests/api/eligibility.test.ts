// Eligibility checks: results of the simulator, what is stored and counted, and who may ask.
import { randomUUID } from "node:crypto";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { setClock } from "@/lib/platform/clock";
import { db, sql } from "@/lib/platform/db/sql";
import { type Basics, call, MARIA, seedBasics, seedPatient, tokenFor } from "../support/api";
import { owner } from "../support/owner";
import { signInAs, staffCallAs } from "../support/staff";

let basics: Basics;
let token: string;
let patient: number;
beforeAll(async () => {
  basics = await seedBasics();
  ({ token } = basics);
  patient = await seedPatient(basics.enabled, basics.physicians.enabled);
});
afterEach(() => setClock());

const COVERED = { ...MARIA, carrier: "Acme Health", plan: "Gold", member_id: "A1234", copay: "25", deductible: "500" };

async function newPolicy(fields: object = {}, of = patient) {
  const { status, body } = await call("POST", `patients/${of}/policies`, { token, body: { ...COVERED, ...fields } });
  expect(status).toBe(201);
  return body;
}
const pathOf = (policy: { patient_insurance: number }, rest = "eligibility/") =>
  `patient_insurances/${policy.patient_insurance}/${rest}`;
const check = (policy: { patient_insurance: number }, body: object = {}, headers = {}) =>
  call("POST", pathOf(policy), { token, body, headers });

describe("a check", () => {
  test("returns what GET returns afterwards, and the policy's own amounts", async () => {
    const policy = await newPolicy();
    const { status, body } = await check(policy);
    expect([status, body]).toEqual([
      200,
      {
        eligibility_check_timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
        eligibility_status: "active",
        patient_id: patient,
        patient_insurance_id: policy.patient_insurance,
        practice_id: basics.enabled,
        eligibility_details: {
          copay: 25,
          copay_ambiguous: false,
          coinsurance: expect.stringMatching(/^[123]0\.00$/),
          coinsurance_ambiguous: false,
          deductible: "500.00",
          deductible_ambiguous: false,
          deductible_remaining: expect.stringMatching(/^\d+\.\d\d$/),
          deductible_remaining_ambiguous: false,
          errors: [],
        },
      },
    ]);
    const read = await call("GET", pathOf(policy), { token });
    expect([read.status, read.body]).toEqual([200, body]);
    expect((await check(policy)).body.eligibility_details).toEqual(body.eligibility_details);
  });

  test("is done for the ID that the legacy record shows, current or past", async () => {
    const insured = await seedPatient(basics.enabled, basics.physicians.enabled);
    const { id } = await newPolicy({ rank: 1 }, insured);
    const read = async () => (await call("GET", `patients/${insured}/`, { token })).body;
    const [insurance] = (await read()).insurances;
    expect((await check({ patient_insurance: insurance.id })).body.eligibility_status).toBe("active");
    await call("DELETE", `patients/${insured}/policies/${id}`, { token });
    const [past] = (await read()).deleted_insurances;
    expect((await check({ patient_insurance: past.id })).body.eligibility_status).toBe("inactive");
  });

  test.each([
    ["terminated coverage", { end_date: "2020-12-31" }, "inactive", []],
    ["coverage that begins later", { start_date: "2999-01-01" }, "inactive", []],
    ["coverage that ends later", { end_date: "2999-01-01" }, "active", []],
    ["a missing member ID", { member_id: " " }, "error", ["missing_member_id"]],
    ["a missing payer", { carrier: null }, "error", ["missing_payer"]],
    ["a member ID that the payer doesn't know", { member_id: "X0000" }, "error", ["member_not_found"]],
    ["a payer that doesn't respond", { member_id: "X9999" }, "error", ["payer_unavailable"]],
  ])("of %s", async (_what, fields, expected, codes) => {
    const policy = await newPolicy(fields);
    const { status, body } = await check(policy);
    expect([status, body.eligibility_status]).toEqual([200, expected]);
    expect(body.eligibility_details.errors.map(({ code }: { code: string }) => code)).toEqual(codes);
    expect((await call("GET", pathOf(policy), { token })).body).toEqual(body);
    const report = await call("GET", pathOf(policy, "eligibility_full_report/"), { token });
    expect([report.status, report.body.benefits.copay.length]).toEqual([200, expected === "active" ? 1 : 0]);
  });

  test("has a full report with benefits, plan, subscriber and the group that asked", async () => {
    const policy = await newPolicy({ group_id: "G7", start_date: "2024-01-01" });
    const { body } = await check(policy, { group_id: 7, group_name: "Bay Group", group_npi: "1234567893" });
    const report = await call("GET", pathOf(policy, "eligibility_full_report"), { token });
    expect(report.body).toMatchObject({
      eligibility_check_timestamp: body.eligibility_check_timestamp,
      eligibility_provider: { organization_name: "Bay Group", npi: "1234567893" },
      plan_details: {
        carrier: "Acme Health",
        plan_name: "Gold",
        group_number: "G7",
        member_id: "A1234",
        start_date: "2024-01-01",
        end_date: null,
      },
      subscriber: { first_name: "Maria", last_name: "Lopez", member_id: "A1234" },
      service_type_code: "30",
      benefits: {
        copay: [{ amount: "25.00", service_type: "Office visit", network: "in_network" }],
        limitations: [{ message: "Simulated result. No payer was contacted." }],
      },
    });
  });

  test("changes neither the policy nor its versions", async () => {
    const policy = await newPolicy();
    await check(policy);
    const path = `patients/${patient}/policies/${policy.id}`;
    expect((await call("GET", path, { token })).body).toEqual(policy);
    expect((await call("GET", `${path}/versions`, { token })).body.results).toHaveLength(1);
  });

  test("is audited as a change, and reading it as a read", async () => {
    const policy = await newPolicy();
    await check(policy, {}, { "x-request-id": "eligibility-1" });
    await call("GET", pathOf(policy), { token, headers: { "x-request-id": "eligibility-2" } });
    await call("GET", pathOf(policy, "eligibility_full_report"), {
      token,
      headers: { "x-request-id": "eligibility-3" },
    });
    const entries = await db.rows(sql`
      SELECT request_id, kind, operation, to_json(patients) AS patients FROM audit_log WHERE request_id LIKE 'eligibility-%' ORDER BY 1`);
    expect(entries).toEqual([
      { request_id: "eligibility-1", kind: "change", operation: "eligibility.check", patients: [patient] },
      { request_id: "eligibility-2", kind: "read", operation: "eligibility.get", patients: [patient] },
      { request_id: "eligibility-3", kind: "read", operation: "eligibility.full_report", patients: [patient] },
    ]);
  });

  test("is made once for an Idempotency-Key, and has no dry run", async () => {
    const policy = await newPolicy();
    const headers = { "idempotency-key": randomUUID() };
    const first = await check(policy, {}, headers);
    const again = await check(policy, {}, headers);
    expect([again.body, again.headers.get("idempotent-replayed")]).toEqual([first.body, "true"]);
    const dry = await call("POST", `${pathOf(policy)}?dry_run=true`, { token, body: {} });
    expect([dry.status, Object.keys(dry.body)]).toEqual([400, ["dry_run"]]);
    const { count } = await db.one<{ count: number }>(
      sql`SELECT count(*) AS count FROM eligibility_check WHERE policy_id = ${policy.id}`,
    );
    expect(count).toBe(1);
  });

  test("leaves no stored response once its policy is deleted permanently", async () => {
    const [policy, other] = [await newPolicy(), await newPolicy()];
    const headers = { "idempotency-key": randomUUID() };
    const otherHeaders = { "idempotency-key": randomUUID() };
    await check(policy, {}, headers);
    const kept = await check(other, {}, otherHeaders);
    const path = `patients/${patient}/policies/${policy.id}`;
    await call("DELETE", path, { token });
    expect((await call("DELETE", `${path}?permanent=true`, { token })).status).toBe(204);
    const again = await check(policy, {}, headers);
    expect([again.status, again.body.code]).toEqual([410, "gone"]);
    expect(JSON.stringify(again.body)).not.toContain("copay");
    expect((await check(other, {}, otherHeaders)).body).toEqual(kept.body);
  });

  test("can be neither changed nor deleted, except with its policy", async () => {
    const policy = await newPolicy();
    await check(policy);
    for (const change of [
      sql`UPDATE eligibility_check SET status = 'active' WHERE policy_id = ${policy.id}`,
      sql`DELETE FROM eligibility_check WHERE policy_id = ${policy.id}`,
    ]) {
      await expect(db.run(change)).rejects.toThrow();
      await expect(owner.run(change)).rejects.toThrow(/append-only/);
    }
    const path = `patients/${patient}/policies/${policy.id}`;
    await call("DELETE", path, { token });
    expect((await call("DELETE", `${path}?permanent=true`, { token })).status).toBe(204);
    expect((await call("GET", pathOf(policy), { token })).status).toBe(404);
    expect(await db.rows(sql`SELECT FROM eligibility_check WHERE policy_id = ${policy.id}`)).toEqual([]);
  });
});

describe("without a check", () => {
  test("GET says that the insurance was never checked", async () => {
    const policy = await newPolicy();
    for (const rest of ["eligibility", "eligibility_full_report"]) {
      const { status, body } = await call("GET", pathOf(policy, rest), { token });
      expect([status, body.code]).toEqual([404, "eligibility_not_checked"]);
    }
  });

  test("an absent insurance and another practice's look the same", async () => {
    const foreign = await seedPatient(basics.foreign, basics.physicians.foreign);
    const { stranger } = basics;
    const theirs = await call("POST", `patients/${foreign}/policies`, { token: stranger, body: COVERED });
    for (const [method, rest] of [
      ["GET", "eligibility"],
      ["POST", "eligibility"],
      ["GET", "eligibility_full_report"],
    ] as const) {
      const send = (id: number) =>
        call(method, `patient_insurances/${id}/${rest}`, { token, ...(method === "POST" && { body: {} }) });
      const [absent, hidden] = [await send(99999999), await send(theirs.body.patient_insurance)];
      expect([absent.status, absent.body.code]).toEqual([404, "not_found"]);
      expect([hidden.status, hidden.body]).toEqual([absent.status, absent.body]);
    }
  });
});

test("only the global scope is sufficient", async () => {
  const policy = await newPolicy();
  for (const scope of ["system/patients.read", "system/patients.write", "system/insurance_companies.write"]) {
    const scoped = await tokenFor({
      organizationId: basics.organization,
      practices: [basics.enabled],
      scopes: [scope],
    });
    for (const method of ["GET", "POST"]) {
      const { status, headers } = await call(method, pathOf(policy), {
        token: scoped,
        ...(method === "POST" && { body: {} }),
      });
      expect([method, status, headers.get("www-authenticate")]).toEqual([
        method,
        403,
        expect.stringContaining("apiv2"),
      ]);
    }
  }
});

test.each([
  [{ group_id: "seven" }, "group_id"],
  [{ group_name: 7 }, "group_name"],
  [{ group_npi: "1".repeat(21) }, "group_npi"],
])("a body with %j is rejected", async (body, field) => {
  const response = await check(await newPolicy(), body);
  expect([response.status, Object.keys(response.body)]).toEqual([400, [field]]);
});

test("eligibility usage counts the checks of a period", async () => {
  const at = (time: string) => setClock({ now: () => new Date(time) });
  const covered = await newPolicy({ end_date: "2031-01-01" });
  const unknown = await newPolicy({ member_id: "U0000" });
  // Tokens of the present have expired.
  const newToken = () => tokenFor({ organizationId: basics.organization, practices: [basics.enabled] });
  const checkAt = async (time: string, policy: { patient_insurance: number }) => {
    at(time);
    expect((await call("POST", pathOf(policy), { token: await newToken(), body: {} })).status).toBe(200);
  };
  await checkAt("2031-05-31T23:59:59.999Z", covered);
  await checkAt("2031-06-01T00:00:00.000Z", covered);
  await checkAt("2031-06-02T12:00:00.000Z", unknown);
  await checkAt("2031-06-03T00:00:00.000Z", covered);
  const usage = async (query: string) =>
    (await call("GET", `practices/${basics.enabled}/eligibility_usage/${query}`, { token: await newToken() })).body;
  expect(await usage("?start_date=2031-06-01&end_date=2031-06-02")).toEqual({
    start_date: "2031-06-01",
    end_date: "2031-06-02",
    total_checks: 2,
    successful_checks: 1,
    failed_checks: 1,
  });
  expect((await usage("")).total_checks).toBe(3);
});

describe("staff", () => {
  const pathFor = (policy: { id: number }, rest = "") =>
    `practices/${basics.enabled}/patients/${patient}/policies/${policy.id}/eligibility${rest}`;

  test("check a policy, and see who asked and the full report of each check", async () => {
    const policy = await newPolicy();
    await check(policy);
    const staff = await signInAs("staff", [basics.enabled]);
    const { status, body } = await staffCallAs(staff, "POST", pathFor(policy));
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({ status: "active", provider: "simulator", by: "Robin staff", source: "staff" }),
    ]);
    const viewer = await signInAs("viewer", [basics.enabled]);
    const { checks } = (await staffCallAs(viewer, "GET", pathFor(policy))).body;
    expect(checks.map(({ id, source }: Record<string, unknown>) => [id, source])).toEqual([
      [body.id, "staff"],
      [expect.any(Number), "api"],
    ]);
    const report = await staffCallAs(viewer, "GET", pathFor(policy, `/${body.id}`));
    expect(report.body.report.benefits.copay[0].amount).toBe("25.00");
    expect((await staffCallAs(viewer, "GET", pathFor(policy, "/99999999"))).status).toBe(404);
  });

  test("see that the payer or member ID has changed since the latest check", async () => {
    const policy = await newPolicy();
    const path = `patients/${patient}/policies/${policy.id}`;
    const staff = await signInAs("staff", [basics.enabled]);
    const latest = async () =>
      (await staffCallAs(staff, "GET", `practices/${basics.enabled}/${path}`)).body.eligibility.outdated;
    await staffCallAs(staff, "POST", pathFor(policy));
    await call("PATCH", path, { token, body: { copay: "30" } });
    expect(await latest()).toBe(false);
    await call("PATCH", path, { token, body: { member_id: "B1234" } });
    expect(await latest()).toBe(true);
    await staffCallAs(staff, "POST", pathFor(policy));
    expect(await latest()).toBe(false);
  });

  test("with the role viewer may not check", async () => {
    const viewer = await signInAs("viewer", [basics.enabled]);
    expect((await staffCallAs(viewer, "POST", pathFor(await newPolicy()))).status).toBe(403);
  });

  test("see a check only below its own policy", async () => {
    const [one, other] = [await newPolicy(), await newPolicy()];
    const viewer = await signInAs("staff", [basics.enabled]);
    const { id } = (await staffCallAs(viewer, "POST", pathFor(one))).body;
    expect((await staffCallAs(viewer, "GET", pathFor(other, `/${id}`))).status).toBe(404);
  });
});
