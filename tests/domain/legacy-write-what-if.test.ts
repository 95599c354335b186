// Shows the effect of a legacy write under both settings of the switch and on both sides of the deadline, always rolled back.
import { beforeAll, describe, expect, test } from "vitest";
import { mintAccess, systemOrigin } from "@/lib/access/identity/access";
import { whatWouldHappen } from "@/lib/migration/what-if/what-would-happen";
import { type Basics, call, MARIA, seedBasics, seedPatient } from "../support/api";
import { snapshot } from "../support/snapshot";

const ORIGIN = systemOrigin({ name: "Test", source: "staff", operation: "test" });

let basics: Basics;
beforeAll(async () => {
  basics = await seedBasics();
});

async function patientWithTwo(practice: "enabled" | "disabled") {
  const { token } = basics;
  const patient = await seedPatient(basics[practice], basics.physicians[practice]);
  const base = `patients/${patient}/policies`;
  const first = (await call("POST", base, { token, body: { ...MARIA, rank: 1, carrier: "First" } })).body;
  const second = (await call("POST", base, { token, body: { ...MARIA, rank: 2, carrier: "Second" } })).body;
  return { patient, first, second };
}

const preview = (practice: "enabled" | "disabled", patient: number, body: unknown) => {
  const access = mintAccess({ practices: [basics[practice]], actor: ORIGIN.actor });
  return whatWouldHappen({ access, origin: ORIGIN }, patient, body);
};

describe.each(["enabled", "disabled"] as const)("in a practice with the switch %s", (practice) => {
  test("each preview matches the real write under its setting, and nothing is written", async () => {
    const { patient, first } = await patientWithTwo(practice);
    const body = {
      insurances: [
        { id: first.patient_insurance, rank: "primary", carrier: "First", member_id: "NEW" },
        { rank: "tertiary", carrier: "Third" },
      ],
    };
    const before = await snapshot();
    const { scenarios, calls } = await preview(practice, patient, body);
    expect(await snapshot()).toEqual(before);
    const [off, on, offAfter, onAfter] = scenarios;

    expect(on).toMatchObject({ versioning: true, deadline: "before", refused: null });
    expect(on?.policies.map(({ kind, policy }) => [kind, kind === "created" ? null : policy]).sort()).toEqual([
      ["archived", expect.any(Number)],
      ["created", null],
      ["updated", first.id],
    ]);
    expect(on?.legacy.map(({ kind }) => kind).sort()).toEqual(["created", "ended", "updated"]);

    expect(off).toMatchObject({ versioning: false, deadline: "before", refused: null });
    expect(off?.policies.map(({ kind }) => kind).sort()).toEqual(["archived", "archived", "created", "created"]);
    for (const after of [offAfter, onAfter]) {
      expect(after?.refused).toMatchObject({ code: "422", message: expect.stringContaining("deprecated") });
    }

    expect(calls.map(({ method }) => method)).toEqual(["DELETE", "PATCH", "POST"]);
    expect(calls[1]).toMatchObject({
      path: expect.stringContaining(`/policies/${first.id}`),
      body: { member_id: "NEW" },
    });
  });

  test("the equivalent calls have the same result as the legacy write", async () => {
    const { token } = basics;
    const { patient, first } = await patientWithTwo(practice);
    const other = await patientWithTwo("enabled");
    const body = (insurance: number) => ({
      insurances: [
        { id: insurance, rank: "secondary", carrier: "First", group_id: "G9" },
        { rank: "primary", carrier: "Third", member_id: "M3" },
      ],
    });
    const { calls } = await preview(practice, patient, body(first.patient_insurance));
    for (const { method, path, body: sent } of calls) {
      const response = await call(method, path.replace("/api/2.0/", ""), { token, ...(sent ? { body: sent } : {}) });
      expect(response.status).toBeLessThan(300);
    }
    await call("PATCH", `patients/${other.patient}`, { token, body: body(other.first.patient_insurance) });
    const active = async (id: number) => {
      const { results } = (await call("GET", `patients/${id}/policies?status=active`, { token })).body;
      return results.map((policy: Record<string, unknown>) => [
        policy.rank,
        policy.carrier,
        policy.group_id,
        policy.member_id,
      ]);
    };
    expect(await active(patient)).toEqual(await active(other.patient));
  });
});

test("an invalid body is rejected by field, and another practice's patient looks absent", async () => {
  const { patient } = await patientWithTwo("enabled");
  await expect(preview("enabled", patient, { insurances: "none" })).rejects.toMatchObject({
    fields: { insurances: expect.anything() },
  });
  await expect(preview("disabled", patient, {})).rejects.toMatchObject({ code: "not_found" });
  const unknownId = await preview("enabled", patient, { insurances: [{ id: 999_999_999, rank: "primary" }] });
  expect(
    unknownId.scenarios.find(({ versioning, deadline }) => versioning && deadline === "before")?.refused,
  ).toMatchObject({ code: "400" });
});
