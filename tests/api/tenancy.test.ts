// References in bodies reveal nothing about the records of other organizations, and nothing is left of a deleted
// patient. operation-contract tests what each operation hides.
import { beforeAll, describe, expect, test } from "vitest";
import { type ApiResponse, call, MARIA, seedPatient } from "@/tests/support/api";
import { revealed } from "@/tests/support/contract/access";
import { snapshot } from "@/tests/support/snapshot";
import { seedWorld, type World } from "@/tests/support/world";

const ABSENT = 999_999_999;

let world: World;
beforeAll(async () => {
  world = await seedWorld();
});

/** Requires that a field with the ID of our record is rejected like one with an absent ID. Each message repeats the ID. */
async function expectSameAsAbsent(send: (id: number) => Promise<ApiResponse>, id: number, field: string) {
  const without = (sent: number, response: ApiResponse) => {
    const found = revealed(response);
    return { ...found, body: found.body.replace(`pk \\"${sent}\\"`, "pk") };
  };
  const ours = await send(id);
  expect([ours.status, Object.keys(ours.body)]).toEqual([400, [field]]);
  expect(without(id, ours)).toEqual(without(ABSENT, await send(ABSENT)));
}

describe("another organization's reference to our record", () => {
  test.each([
    ["patients", () => ({ ...(world.bodies["patients/[id]"] as object) }), "caregiver_practice"],
    ["insurance_companies", () => world.bodies["insurance_companies/[id]"], "practice"],
    ["insurance_plans", () => world.bodies["insurance_plans/[id]"], "practice"],
  ])("of %s to our practice is rejected like one to an absent practice", async (path, body, field) => {
    const send = (practice: number) =>
      call("POST", `${path}/`, { token: world.basics.stranger, body: { ...(body() as object), [field]: practice } });
    const before = await snapshot();
    await expectSameAsAbsent(send, world.basics.disabled, field);
    expect(await snapshot()).toEqual(before);
  });

  test.each(["insurance_company", "insurance_plan"] as const)(
    "is rejected in a policy like one to an absent record: %s",
    async (field) => {
      const theirs = await seedPatient(world.basics.foreign, world.basics.physicians.foreign);
      const send = (id: number) =>
        call("POST", `patients/${theirs}/policies`, { token: world.basics.stranger, body: { ...MARIA, [field]: id } });
      const root = field === "insurance_company" ? "insurance_companies" : "insurance_plans";
      await expectSameAsAbsent(send, world.records[root] as number, field);
    },
  );
});

test("a deleted patient and all their records look as if they never existed", async () => {
  const patient = await seedPatient(world.basics.disabled, world.basics.physicians.disabled);
  const { token } = world.basics;
  const policy = await call("POST", `patients/${patient}/policies`, { token, body: { ...MARIA, rank: 1 } });
  expect((await call("DELETE", `patients/${patient}`, { token })).status).toBe(204);
  for (const tail of ["", "/policies", `/policies/${policy.body.id}`, "/insurance_cards"]) {
    const gone = await call("GET", `patients/${patient}${tail}`, { token });
    expect(revealed(gone)).toEqual(revealed(await call("GET", `patients/${ABSENT}${tail}`, { token })));
  }
});
