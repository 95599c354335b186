// The clearinghouse: what it is sent, what its answers mean, and that no answer fails a check with an error.
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { mintAccess, systemOrigin } from "@/lib/access/identity/access";
import { clearinghouse } from "@/lib/insurance/eligibility/clearinghouse";
import { checkPolicy } from "@/lib/insurance/eligibility/commands";
import type { EligibilityInquiry, EligibilityProvider } from "@/lib/insurance/eligibility/provider";
import { toDetails } from "@/lib/insurance/eligibility/rules";
import { db, sql } from "@/lib/platform/db/sql";
import { log } from "@/lib/platform/log";
import { type Basics, call, MARIA, seedBasics, seedPatient } from "../support/api";
import { type Receiver, startReceiver, startSocketReceiver, stopReceivers } from "../support/webhook-receivers";

const INQUIRY: EligibilityInquiry = {
  date: "2026-11-27",
  payer: { name: "Acme Health", id: "60054" },
  memberId: "A1234",
  groupNumber: "G7",
  plan: "Gold",
  patient: { first_name: "Leo", last_name: "Lopez", dob: "2015-02-03", sex: "Male" },
  subscriber: { first_name: "Maria", last_name: "Lopez", dob: "1980-05-17", sex: "F" },
  relationship: "Child",
  requester: { name: "Bay Practice", npi: "1234567893" },
  onFile: { copay: null, deductible: null, startDate: null, endDate: null, isArchived: false },
};

const ANSWER = {
  planStatus: [{ statusCode: "1", status: "Active Coverage", planDetails: "GOLD PPO" }],
  payer: { name: "ACME HEALTH PLANS" },
  planInformation: { groupNumber: "G7", groupDescription: "BAY EMPLOYERS" },
  planDateInformation: { planBegin: "20260101", planEnd: "20261231" },
  subscriber: {
    memberId: "A1234",
    firstName: "MARIA",
    lastName: "LOPEZ",
    gender: "F",
    address: { address1: "1 MAIN ST", city: "BOSTON" },
  },
  benefitsInformation: [
    { code: "1", serviceTypeCodes: ["30"] },
    {
      code: "B",
      serviceTypeCodes: ["98"],
      serviceTypes: ["Professional (Physician) Visit - Office"],
      coverageLevelCode: "IND",
      timeQualifierCode: "27",
      benefitAmount: "25",
      inPlanNetworkIndicatorCode: "Y",
    },
    {
      code: "B",
      serviceTypeCodes: ["98"],
      coverageLevelCode: "IND",
      benefitAmount: "60",
      inPlanNetworkIndicatorCode: "N",
    },
    { code: "A", serviceTypeCodes: ["30"], benefitPercent: "0.2" },
    { code: "C", serviceTypeCodes: ["30"], coverageLevelCode: "IND", timeQualifierCode: "23", benefitAmount: "1500" },
    { code: "C", serviceTypeCodes: ["30"], coverageLevelCode: "IND", timeQualifierCode: "29", benefitAmount: "320.5" },
    { code: "C", serviceTypeCodes: ["30"], coverageLevelCode: "FAM", timeQualifierCode: "23", benefitAmount: "3000" },
    { code: "F", additionalInformation: [{ description: "20 visits a year" }] },
  ],
};

/** Says nothing about the address, which may be internal. */
const NOT_ALLOWED = "The server's settings don't allow its address.";

afterEach(stopReceivers);

const SETTINGS = { token: "Bearer secret", timeoutMs: 5_000, policy: { allowPrivate: true } };
const providerFor = ({ port }: Receiver, settings: object = {}) =>
  clearinghouse({ ...SETTINGS, url: `http://127.0.0.1:${port}/eligibility/v3`, ...settings });

async function ask(answer: unknown, status = 200) {
  const receiver = await startReceiver((_request, response) => {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(typeof answer === "string" ? answer : JSON.stringify(answer));
  });
  return { answer: await providerFor(receiver).ask(INQUIRY), receiver };
}

test("is asked with the token about the subscriber and the dependent", async () => {
  const { receiver } = await ask(ANSWER);
  const [request] = receiver.requests;
  expect([request?.method, request?.url, request?.headers.authorization]).toEqual([
    "POST",
    "/eligibility/v3",
    "Bearer secret",
  ]);
  expect(JSON.parse(request?.body ?? "")).toEqual({
    tradingPartnerServiceId: "60054",
    tradingPartnerName: "Acme Health",
    provider: { organizationName: "Bay Practice", npi: "1234567893" },
    subscriber: {
      memberId: "A1234",
      groupNumber: "G7",
      firstName: "Maria",
      lastName: "Lopez",
      dateOfBirth: "19800517",
      gender: "F",
    },
    dependents: [{ firstName: "Leo", lastName: "Lopez", dateOfBirth: "20150203", gender: "M" }],
    encounter: { serviceTypeCodes: ["30"], dateOfService: "20261127" },
  });
});

test("answers with the plan, the subscriber and benefits, of which those of an individual in the network count", async () => {
  const { answer } = await ask(ANSWER);
  expect(answer).toMatchObject({
    status: "active",
    errors: [],
    plan: {
      carrier: "ACME HEALTH PLANS",
      group_name: "BAY EMPLOYERS",
      plan_name: "GOLD PPO",
      start_date: "2026-01-01",
      end_date: "2026-12-31",
    },
    subscriber: { name: "MARIA LOPEZ", sex_at_birth: "F", address: { address_1: "1 MAIN ST", city: "BOSTON" } },
  });
  expect(answer.benefits.limitations).toEqual([{ message: "20 visits a year" }]);
  expect(toDetails(answer)).toEqual({
    copay: 25,
    copay_ambiguous: false,
    coinsurance: "20.00",
    coinsurance_ambiguous: false,
    deductible: "1500.00",
    deductible_ambiguous: false,
    deductible_remaining: "320.50",
    deductible_remaining_ambiguous: false,
    errors: [],
  });
});

test("marks a value as ambiguous if the payer reports several", async () => {
  const copays = ["25", "40"].map((benefitAmount) => ({ code: "B", serviceTypeCodes: ["98"], benefitAmount }));
  const { answer } = await ask({ ...ANSWER, benefitsInformation: copays });
  expect(toDetails(answer)).toMatchObject({ copay: 25, copay_ambiguous: true });
});

describe("a check fails with a reason if", () => {
  test.each([
    [
      "the payer doesn't find the member",
      { errors: [{ code: "75", description: "Subscriber/Insured Not Found" }] },
      400,
      "member_not_found",
    ],
    [
      "the payer rejects the request",
      { errors: [{ code: "57", description: "Invalid/Missing Date(s)" }] },
      200,
      "payer_57",
    ],
    ["the token is wrong", { message: "Unauthorized" }, 401, "provider_unavailable"],
    ["the token has expired", { errors: [{ code: "401", description: "Expired" }] }, 401, "provider_unavailable"],
    ["the account may not ask", { errors: [{ code: "79" }] }, 403, "provider_unavailable"],
    ["requests are limited", { errors: [{ code: "42" }] }, 429, "provider_unavailable"],
    ["the clearinghouse is down", "Bad gateway", 502, "provider_unavailable"],
    ["the response is a redirect", "", 302, "provider_unavailable"],
    ["the response is no JSON", "<html>", 200, "invalid_response"],
    ["the response is no object", [1], 200, "invalid_response"],
    ["the response has no status", { planStatus: [] }, 200, "no_status"],
  ])("%s", async (_what, response, status, code) => {
    const { answer } = await ask(response, status);
    expect([answer.status, answer.errors.map((error) => error.code)]).toEqual(["error", [code]]);
    expect(answer.errors[0]?.message).toMatch(/^[A-Z].*\.$|Invalid/);
  });

  test("it takes too long", async () => {
    const receiver = await startSocketReceiver(() => {});
    const started = performance.now();
    const { errors } = await providerFor(receiver, { timeoutMs: 300 }).ask(INQUIRY);
    expect(errors[0]?.message).toBe("The clearinghouse could not check eligibility. No response within 0.3 s.");
    expect(performance.now() - started).toBeLessThan(3_000);
  });

  test("the response is too long", async () => {
    const { answer } = await ask(JSON.stringify({ x: "x".repeat(3_000_000) }));
    expect(answer.errors[0]?.message).toContain("The response is too long.");
  });

  test.each([
    ["http://127.0.0.1:1/", { allowPrivate: true }, "Connection refused."],
    ["https://127.0.0.1:1/", { allowPrivate: false }, NOT_ALLOWED],
    ["https://169.254.169.254/", { allowPrivate: true }, NOT_ALLOWED],
    ["http://clearinghouse.example.org/", { allowPrivate: false }, NOT_ALLOWED],
    ["https://eligibility.internal/", { allowPrivate: false }, NOT_ALLOWED],
  ])("%s can't or must not be reached", async (url, policy, reason) => {
    const lines = vi.spyOn(log, "warn");
    const { errors } = await clearinghouse({ ...SETTINGS, url, policy }).ask(INQUIRY, "the-request");
    expect(lines.mock.calls.map(([fields]) => fields)).toMatchObject([{ request: "the-request" }]);
    expect(JSON.stringify(lines.mock.calls)).not.toMatch(/Lopez|A1234|2015-02-03/);
    lines.mockRestore();
    const message = `The clearinghouse could not check eligibility. ${reason}`;
    expect(errors).toEqual([{ code: "provider_unavailable", message }]);
  });
});

test("odd values in an answer are left out, and can be stored", async () => {
  const odd = {
    code: "B",
    benefitAmount: "-5",
    benefitPercent: {},
    serviceTypeCodes: [7, "98"],
    coverageLevelCode: "\u0000\ud800",
  };
  const { answer } = await ask(
    JSON.stringify({
      ...ANSWER,
      planDateInformation: { planBegin: "20261340" },
      subscriber: "none",
      benefitsInformation: [odd, 7, null],
    }),
  );
  expect([answer.status, answer.plan.start_date, answer.subscriber]).toEqual(["active", undefined, {}]);
  expect(answer.benefits.copay).toEqual([{ service_type_code: "98", coverage_level: "\ufffd" }]);
});

describe("while the payer is asked", () => {
  let basics: Basics;
  beforeAll(async () => {
    basics = await seedBasics();
  });

  const origin = systemOrigin({ name: "Tests", source: "staff", operation: "tests.eligibility" });
  const accessTo = (practice: number) => mintAccess({ practices: [practice], actor: origin.actor });
  async function newPolicy() {
    const patientId = await seedPatient(basics.enabled, basics.physicians.enabled);
    const body = { ...MARIA, carrier: "Acme Health", member_id: "A1234" };
    const { token } = basics;
    return { patientId, policyId: (await call("POST", `patients/${patientId}/policies`, { token, body })).body.id };
  }
  const asking = (during: () => Promise<void>): EligibilityProvider => ({
    name: "clearinghouse",
    ask: async () => {
      await during();
      return {
        status: "active",
        errors: [],
        benefits: { coinsurance: [], copay: [], deductible: [], limitations: [], out_of_pocket: [] },
        plan: {},
        subscriber: {},
      };
    },
  });

  test("the check holds no transaction, and the patient can be changed", async () => {
    const target = await newPolicy();
    let open = -1;
    const provider = asking(async () => {
      const path = `patients/${target.patientId}/policies/${target.policyId}`;
      const { status } = await call("PATCH", path, { token: basics.token, body: { member_id: "B1" } });
      expect(status).toBe(200);
      const { count } = await db.one<{ count: number }>(sql`
        SELECT count(*) AS count FROM pg_stat_activity
        WHERE datname = current_database() AND state LIKE 'idle in transaction%'`);
      open = count;
    });
    const check = await checkPolicy({ access: accessTo(basics.enabled), origin }, target, {}, provider);
    expect([open, check.status]).toEqual([0, "active"]);
  });

  test("the policy may be purged: the check is not stored", async () => {
    const target = await newPolicy();
    const provider = asking(async () => {
      const path = `patients/${target.patientId}/policies/${target.policyId}`;
      await call("DELETE", path, { token: basics.token });
      expect((await call("DELETE", `${path}?permanent=true`, { token: basics.token })).status).toBe(204);
    });
    await expect(checkPolicy({ access: accessTo(basics.enabled), origin }, target, {}, provider)).rejects.toMatchObject(
      { code: "gone" },
    );
  });
});
