// Home: the patients that a user opened last, their findings, and counts that match the list of patients.
import { beforeAll, describe, expect, test } from "vitest";
import { findStaffAccess, narrowTo, type StaffAccess } from "@/lib/access/staff/access";
import { listRecentPatients } from "@/lib/insurance/patients/recent-queries";
import { REVIEW_FILTERS } from "@/lib/insurance/patients/search-filters";
import { listAssignedFindings } from "@/lib/migration/runs/assigned-queries";
import { setClock } from "@/lib/platform/clock";
import { db, sql } from "@/lib/platform/db/sql";
import { type Basics, call, MARIA, seedBasics, seedPatient } from "../support/api";
import { imageContent } from "../support/images";
import { legacyInsurance, legacyPatient, writeLines } from "../support/legacy-export";
import { createCheckedRun } from "../support/migration-runs";
import { type SignedIn, signInAs, staffCallAs } from "../support/staff";

let basics: Basics;
let viewer: SignedIn;
beforeAll(async () => {
  basics = await seedBasics();
  viewer = await signInAs("viewer", [basics.enabled, basics.disabled]);
});

async function accessOf(who: SignedIn, practice: number): Promise<StaffAccess> {
  const access = await findStaffAccess(who.cookie, "person");
  return narrowTo(access as StaffAccess, practice) as StaffAccess;
}

const newPatient = (of: "enabled" | "disabled" = "enabled") => seedPatient(basics[of], basics.physicians[of]);

describe("recently viewed patients", () => {
  const open = (who: SignedIn, practice: number, patient: number) =>
    staffCallAs(who, "GET", `practices/${practice}/patients/${patient}`);
  const recent = async (who: SignedIn, practice = basics.enabled) =>
    (await listRecentPatients(await accessOf(who, practice))).map(({ id }) => id);

  test("are those that the user opened in this practice, the last one first, and each once", async () => {
    const [one, two, elsewhere] = [await newPatient(), await newPatient(), await newPatient("disabled")];
    for (const patient of [one, two, one]) await open(viewer, basics.enabled, patient);
    await open(viewer, basics.disabled, elsewhere);
    expect(await recent(viewer)).toEqual([one, two]);
    expect(await recent(viewer, basics.disabled)).toEqual([elsewhere]);
  });

  test("exclude patients from lists, other users' patients and deleted ones", async () => {
    const [mine, other] = [await signInAs("staff", [basics.enabled]), await signInAs("staff", [basics.enabled])];
    const [kept, deleted] = [await newPatient(), await newPatient()];
    expect((await staffCallAs(mine, "GET", `practices/${basics.enabled}/patients`)).body.count).toBeGreaterThan(1);
    expect(await recent(mine)).toEqual([]);
    await open(mine, basics.enabled, deleted);
    await open(mine, basics.enabled, kept);
    await db.run(sql`UPDATE patient SET deleted_date = now() WHERE id = ${deleted}`);
    expect(await recent(mine)).toEqual([kept]);
    expect(await recent(other)).toEqual([]);
  });
});

describe("the counts of policies to look at", () => {
  const read = async (path: string) =>
    (await staffCallAs(viewer, "GET", `practices/${basics.enabled}/patients${path}`)).body;

  async function expectSameAsList(): Promise<Record<string, number>> {
    const counts = await read("/review-counts");
    expect(Object.keys(counts).sort()).toEqual(Object.keys(REVIEW_FILTERS).sort());
    for (const [name, filter] of Object.entries(REVIEW_FILTERS)) {
      const list = await read(`?${new URLSearchParams(filter)}`);
      expect(list.count, name).toBe(counts[name]);
      expect(list.results, name).toHaveLength(list.count);
    }
    return counts;
  }

  test("count patients until each current insurance has a check from the last 30 days for its payer and member ID", async () => {
    const { token } = basics;
    const patient = await newPatient();
    const add = async (fields: object) =>
      (await call("POST", `patients/${patient}/policies`, { token, body: { ...MARIA, carrier: "Acme", ...fields } }))
        .body;
    const counted = async () => (await expectSameAsList()).not_verified as number;
    const check = (policy: { patient_insurance: number }) =>
      call("POST", `patient_insurances/${policy.patient_insurance}/eligibility`, { token, body: {} });
    const before = await counted();
    const [primary, secondary] = [await add({ rank: 1, member_id: "M1" }), await add({ rank: 2, member_id: "M0000" })];
    expect(await counted()).toBe(before + 1);
    await check(primary);
    await check(secondary);
    // The payer did not find the second one.
    expect(await counted()).toBe(before + 1);
    await call("PATCH", `patients/${patient}/policies/${secondary.id}`, { token, body: { member_id: "M2" } });
    await check(secondary);
    expect(await counted()).toBe(before);
    // What the payer confirmed is another member ID than the policy has now.
    const changes = [{ member_id: "M3" }, { member_id: "M1" }, { carrier: "Beacon" }, { carrier: "Acme", copay: "10" }];
    for (const [at, body] of changes.entries()) {
      await call("PATCH", `patients/${patient}/policies/${primary.id}`, { token, body });
      expect(await counted(), JSON.stringify(body)).toBe(before + ((at + 1) % 2));
    }
    const later = new Date(Date.now() + 31 * 86_400_000);
    setClock({ now: () => later });
    viewer = await signInAs("viewer", [basics.enabled, basics.disabled]);
    expect(await counted()).toBeGreaterThan(before);
    setClock();
    viewer = await signInAs("viewer", [basics.enabled, basics.disabled]);
  });

  test("are those of the lists they link to, and leave out deleted patients", async () => {
    const before = await expectSameAsList();
    const { token } = basics;
    const insured = async (fields: object, card = false) => {
      const patient = await newPatient();
      const path = `patients/${patient}/policies`;
      const { id } = (await call("POST", path, { token, body: { ...MARIA, member_id: "M1", rank: 1, ...fields } }))
        .body;
      const body = { image: await imageContent(1), image_rank: 1 };
      if (card) expect((await call("POST", `${path}/${id}/card-images`, { token, body })).status).toBe(201);
      return patient;
    };
    await insured({ rank: 2 }, true);
    await insured({ end_date: "2020-01-31" }, true);
    await insured({ member_id: null }, true);
    await insured({});
    const deleted = await insured({ member_id: null, end_date: "2020-01-31" });
    await db.run(sql`UPDATE patient SET deleted_date = now() WHERE id = ${deleted}`);
    const after = await expectSameAsList();
    const added = Object.keys(after).map((name) => [name, Number(after[name]) - Number(before[name])]);
    expect(Object.fromEntries(added)).toEqual({
      no_primary: 1,
      ended: 1,
      no_member_id: 1,
      no_card: 1,
      not_verified: 4,
    });
  });
});

describe("findings assigned to the user", () => {
  test("are the open ones of records and runs that accept decisions, and overdue by the day of the practice", async () => {
    const practice = basics.enabled;
    const faulty = [1, 2, 3].map((n) =>
      legacyPatient(n, { insurances: [legacyInsurance(10 * n, { copay: "$20", deductible: "lots" })] }),
    );
    const run = await createCheckedRun(practice, writeLines("assigned.ndjson", faulty));
    const [mine, other] = [await signInAs("staff", [practice]), await signInAs("staff", [practice])];
    const assigned = async (who: SignedIn) => listAssignedFindings(await accessOf(who, practice));
    expect(await assigned(mine)).toEqual([]);
    await db.run(
      sql`UPDATE migration_finding SET owner_id = ${mine.userId}, due_date = '2020-05-01' WHERE run_id = ${run}`,
    );
    const first = await db.first<{ id: number }>(
      sql`SELECT min(id) AS id FROM migration_finding WHERE run_id = ${run}`,
    );
    await db.run(sql`UPDATE migration_finding SET decision = 'skipped' WHERE id = ${first?.id}`);
    const query = `owner=${mine.userId}&decision=open`;
    const list = await staffCallAs(mine, "GET", `practices/${practice}/migrations/${run}/findings?${query}`);
    expect(list.body.count).toBeGreaterThan(1);
    expect(await assigned(mine)).toEqual([
      {
        run_id: run,
        owner_id: mine.userId,
        source: "file",
        source_name: "assigned.ndjson",
        findings: list.body.count,
        overdue: list.body.count,
        due_date: "2020-05-01",
      },
    ]);
    expect(await assigned(other)).toEqual([]);
    await db.run(sql`UPDATE migration_record SET state = 'converted' WHERE run_id = ${run} AND number = 2`);
    const [left] = await assigned(mine);
    expect(left?.findings).toBe(list.body.count - 1);
    // The list that Home links to leaves out the converted record too.
    const linked = await staffCallAs(
      mine,
      "GET",
      `practices/${practice}/migrations/${run}/findings?${query}&decidable=true`,
    );
    expect([linked.body.count, linked.body.results.length]).toEqual([left?.findings, left?.findings]);
    const converted = await staffCallAs(
      mine,
      "GET",
      `practices/${practice}/migrations/${run}/findings?${query}&decidable=false`,
    );
    expect(converted.body.count).toBe(1);
    // Where the day ends last, these findings are due today. Where it ends first, that day is over.
    await db.run(
      sql`UPDATE migration_finding SET due_date = (now() AT TIME ZONE 'Etc/GMT+12')::date WHERE run_id = ${run}`,
    );
    for (const [timezone, overdue] of [
      ["Etc/GMT+12", 0],
      ["Pacific/Kiritimati", left?.findings],
    ] as const) {
      await db.run(sql`UPDATE practice SET timezone = ${timezone} WHERE id = ${practice}`);
      expect(await assigned(mine)).toMatchObject([{ overdue }]);
    }
    await db.run(sql`UPDATE migration_run SET state = 'cancelled' WHERE id = ${run}`);
    expect(await assigned(mine)).toEqual([]);
  });
});
