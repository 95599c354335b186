// A run over the practice's own legacy records: what the checks find, and policies that are changed to match.
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { getRecordPage } from "@/lib/migration/check/record-queries";
import { startOwnRun } from "@/lib/migration/read/legacy-scan";
import { startRollBack } from "@/lib/migration/rollback/roll-back-run";
import { getRunTotals } from "@/lib/migration/runs/run-counts";
import { workRun } from "@/lib/migration/work/run-worker";
import { db, sql } from "@/lib/platform/db/sql";
import {
  type Basics,
  call,
  MARIA,
  seedBasics,
  seedPatient,
  seedPhysician,
  seedPractice,
  tokenFor,
} from "../support/api";
import { convert, findingsOf, recordsOf, requestFor, skipErrors, verify } from "../support/migration-runs";
import { snapshot } from "../support/snapshot";
import { expectStoresAgree, policiesOf } from "../support/stores";

let basics: Basics;
beforeAll(async () => {
  basics = await seedBasics();
});

let practiceId: number;
let token: string;
let physician: number;
beforeEach(async () => {
  practiceId = await seedPractice(basics.organization, "Own records", true);
  physician = await seedPhysician(practiceId);
  token = await tokenFor({ organizationId: basics.organization, practices: [practiceId] });
});

async function patientWith(...policies: object[]): Promise<number> {
  const patient = await seedPatient(practiceId, physician);
  for (const policy of policies) {
    const { status } = await call("POST", `patients/${patient}/policies`, { token, body: { ...MARIA, ...policy } });
    expect(status).toBe(201);
  }
  return patient;
}

async function checkOwn(asOf = "2026-01-01"): Promise<number> {
  const { id } = await startOwnRun(requestFor(practiceId), practiceId, asOf);
  expect((await workRun(id))?.state).toBe("checked");
  return id;
}

const elsewhere = async () =>
  Object.fromEntries(Object.entries(await snapshot()).filter(([name]) => !name.startsWith("migration_")));
const sound = { carrier: "Acme Health", member_id: "A1" };

describe("records that agree", () => {
  test("stay unchanged after converting and verifying, with their findings", async () => {
    const patient = await patientWith({ ...sound, rank: 1 }, { carrier: "Beacon", rank: 2, end_date: "2025-06-30" });
    await call("DELETE", `patients/${patient}/policies/${(await policiesOf(patient))[0]?.id}`, { token });
    await patientWith();
    const before = await elsewhere();
    const run = await checkOwn();
    const { patients, insurances } = await getRunTotals(run);
    expect(patients).toEqual({ create: 0, update: 0, unchanged: 2, archive: 0, refused: 0, records: 2 });
    expect(insurances).toEqual({ create: 0, update: 0, unchanged: 2, archive: 0, refused: 0, records: 2 });
    expect((await findingsOf(run)).map(({ code }) => code).sort()).toEqual([
      "carrier_unmatched",
      "expired",
      "member_id_missing",
      "patient_duplicate",
    ]);
    await convert(practiceId, run);
    expect(await verify(practiceId, run)).toMatchObject({ records: 2, different: 0 });
    expect(await elsewhere()).toEqual(before);
  });

  test("verify without differences if the API created and changed the patient", async () => {
    const name = { first_name: "Ida", last_name: "Lund", dob: "1970-03-04", sex: "Female" };
    const contact = { phones: [{ phone: "(207) 555-0117", phone_type: "Mobile" }], city: "Portland", zip: "04101" };
    const input = { ...name, ...contact, caregiver_practice: practiceId, primary_physician: physician };
    const created = await call("POST", "patients", { token, body: input });
    expect(created.status, JSON.stringify(created.body)).toBe(201);
    const other = await seedPhysician(practiceId);
    const changed = await call("PATCH", `patients/${created.body.id}`, { token, body: { primary_physician: other } });
    expect(changed.status).toBe(200);
    const run = await checkOwn();
    await convert(practiceId, run);
    expect(await verify(practiceId, run)).toMatchObject({ records: 1, different: 0 });
  });

  test("need a decision if they have no carrier: skipped records are neither converted nor lost", async () => {
    await patientWith({ rank: 1, member_id: "A1" });
    const run = await checkOwn();
    expect(await recordsOf(run)).toMatchObject([{ verdict: "refused", blockers: 1 }]);
    await skipErrors(practiceId, run);
    await convert(practiceId, run);
    expect(await recordsOf(run)).toMatchObject([{ state: "left_out", patient_id: null }]);
  });
});

describe("a policy that differs from its legacy record", () => {
  test("is planned as an update, shown field by field, and changed with one version", async () => {
    const patient = await patientWith({ ...sound, rank: 1 });
    const [policy] = await policiesOf(patient);
    await db.run(sql`UPDATE policy SET member_id = 'X9' WHERE id = ${policy?.id}`);
    const run = await checkOwn();
    const [record] = await recordsOf(run);
    expect(record?.plan).toMatchObject({
      verdict: "update",
      insurances: [{ verdict: "update", changes: ["member_id"] }],
    });
    const page = await getRecordPage(requestFor(practiceId).access, run, 1);
    expect(page.insurances[0]).toMatchObject({ verdict: "update", changes: ["member_id"] });
    await convert(practiceId, run);
    const [after] = await policiesOf(patient);
    expect([after?.member_id, after?.version]).toEqual(["A1", 2]);
    expect(await verify(practiceId, run)).toMatchObject({ different: 0 });
    await expectStoresAgree(patient);
  });

  test("is archived if it has no legacy record; a legacy record without a policy gets one", async () => {
    const patient = await patientWith({ ...sound, rank: 1 }, { ...sound, carrier: "Beacon", rank: 2 });
    const [first, second] = await policiesOf(patient);
    await db.run(sql`UPDATE patient_insurance SET deleted_date = now() WHERE policy_id = ${first?.id}`);
    await db.run(sql`UPDATE policy SET status = 'archived', archived_date = now() WHERE id = ${second?.id}`);
    const run = await checkOwn();
    const [record] = await recordsOf(run);
    expect(record?.plan?.insurances.map(({ list, verdict }) => [list, verdict])).toEqual([
      ["insurances", "update"],
      ["deleted_insurances", "archive"],
    ]);
    await convert(practiceId, run);
    expect((await policiesOf(patient)).map(({ carrier, status }) => [carrier, status])).toEqual([
      ["Acme Health", "archived"],
      ["Beacon", "active"],
    ]);
    await expectStoresAgree(patient);
  });

  test("is left unchanged and shown again if it changed before the conversion", async () => {
    const patient = await patientWith({ ...sound, rank: 1 });
    const [policy] = await policiesOf(patient);
    await db.run(sql`UPDATE policy SET member_id = 'X9' WHERE id = ${policy?.id}`);
    const run = await checkOwn();
    await db.run(sql`UPDATE policy SET group_id = 'G9' WHERE id = ${policy?.id}`);
    await convert(practiceId, run);
    expect(await recordsOf(run)).toMatchObject([
      { state: "stale", plan: { insurances: [{ changes: ["member_id", "group_id"] }] } },
    ]);
    expect((await policiesOf(patient))[0]?.member_id).toBe("X9");
  });
});

test("a run over the practice's own records can't be rolled back, and says why", async () => {
  await patientWith({ ...sound, rank: 1 });
  const run = await checkOwn();
  await convert(practiceId, run);
  const refused = startRollBack(requestFor(practiceId), run);
  await expect(refused).rejects.toMatchObject({ reason: "nothing_to_roll_back" });
});
