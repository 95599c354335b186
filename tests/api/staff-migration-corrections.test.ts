// Corrections of findings through staff calls: who may make them, what is rejected, and the damaged sample export.
import fs from "node:fs";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { workRun } from "@/lib/migration/work/run-worker";
import { db, sql } from "@/lib/platform/db/sql";
import { type Basics, seedBasics, seedPhysician, seedPractice } from "../support/api";
import { toLines } from "../support/generated-export";
import { expectStoresEqual, findSampleExport, legacyInsurance, legacyPatient } from "../support/legacy-export";
import { type SignedIn, signInAs, staffCallAs } from "../support/staff";
import { staffRuns } from "../support/staff-runs";

let basics: Basics;
let practice: number;
let who: SignedIn;
beforeAll(async () => {
  basics = await seedBasics();
});
beforeEach(async () => {
  practice = await seedPractice(basics.organization, "Migrating", true);
  await seedPhysician(practice);
  who = await signInAs("admin", [practice]);
});

const { post, get, file, check } = staffRuns(() => ({ who, practice }));
const faulty = (n: number, fields: Record<string, unknown>) =>
  legacyPatient(n, { insurances: [legacyInsurance(10 * n, fields)] });
const checked = (...records: object[]) => check(Buffer.from(toLines(records)));

interface Listed {
  id: number;
  number: number;
  code: string;
  field: string;
  found: unknown;
}

const listOpen = async (run: number, query = ""): Promise<Listed[]> =>
  (await get(`/${run}/findings?decision=open&limit=100&${query}`)).body.results;

async function correct(run: number, findings: object, values: object) {
  return post(`/${run}/decisions`, { findings, decision: { decide: "correct", values } });
}

test("a record shows what can be entered for its findings, and afterwards what was", async () => {
  const run = await checked(faulty(1, { rank: "4", carrier: "Hummana", insurance_company: null }), legacyPatient(2));
  const { findings } = (await get(`/${run}/records/1`)).body;
  expect(findings).toMatchObject([
    {
      code: "rank_unknown",
      like: 1,
      inputs: [{ field: "rank", kind: "choice", value: "4", choices: ["primary", "secondary", "tertiary"] }],
    },
    { code: "carrier_unmatched", inputs: [{ field: "carrier", kind: "payer", value: "Hummana", others: ["Humana"] }] },
  ]);
  const payers = (await get(`/${run}/payers?search=HUM`)).body;
  expect(payers).toEqual({ results: [{ id: 5000, carrier: "Humana" }] });
  const [{ id }] = findings;
  expect((await correct(run, { ids: [id] }, { rank: "tertiary" })).body).toEqual({ decided: 1, passed_over: 0 });
  const record = (await get(`/${run}/records/1`)).body;
  expect(record.record).toMatchObject({ verdict: "create" });
  expect(record.insurances[0].fields).toContainEqual({
    field: "rank",
    legacy: "4",
    fixed: "tertiary",
    proposed: "tertiary",
  });
  expect(record.findings[0]).toMatchObject({ decision: "accepted", decided_by: { name: "Robin admin" } });
  const { results } = (await get(`/${run}/findings?decision=corrected`)).body;
  expect(results).toMatchObject([{ id, fix: { values: { rank: "tertiary" }, corrected: true } }]);
  expect(await file(`/${run}/findings/export?decision=corrected`)).toContain("corrected,Robin admin");
});

test.each<[string, object, object, object]>([
  ["a value that does not resolve it", { rank: "5" }, {}, { rank: [expect.stringContaining("Unknown rank")] }],
  ["another field", { copay: "5" }, {}, { copay: [expect.stringContaining("can't be corrected")] }],
  ["no value", {}, {}, { values: ["Enter at least one value."] }],
  ["a NUL", { rank: "a\u0000" }, {}, { decision: ["May not contain NUL."] }],
  ["an unpaired surrogate", { rank: "\ud800" }, {}, { decision: ["Contains an unpaired surrogate."] }],
  ["__proto__", JSON.parse('{"__proto__": "x"}'), {}, {}],
  ["a list", { rank: ["primary"] }, {}, {}],
  ["a number beyond the integers", { rank: 1e300 }, {}, {}],
  ["no finding", { rank: "primary" }, { ids: [999_999_999] }, { findings: ["No such open finding in this run."] }],
  ["nothing like it", { rank: "primary" }, { like: 999_999_999 }, { findings: ["No such open finding in this run."] }],
])("a correction with %s is rejected with 400, and nothing changes", async (_name, values, findings, fields) => {
  const run = await checked(faulty(1, { rank: "4" }));
  const [finding] = await listOpen(run);
  const choice = Object.keys(findings).length > 0 ? findings : { ids: [finding?.id] };
  const rejected = await correct(run, choice, values);
  expect(rejected).toMatchObject({ status: 400, body: fields });
  expect(await listOpen(run)).toEqual([finding]);
});

test("a finding that was decided in the meantime is rejected with 409, and passed over among others", async () => {
  const run = await checked(faulty(1, { rank: "4" }), faulty(2, { rank: "4" }));
  const [first, second] = await listOpen(run);
  const skip = { decide: "skip", reason: "Moved away" };
  await post(`/${run}/decisions`, { findings: { ids: [first?.id] }, decision: skip });
  const late = await correct(run, { ids: [first?.id] }, { rank: "primary" });
  expect(late).toMatchObject({ status: 409, body: { code: "finding_decided" } });
  const both = await correct(run, { ids: [first?.id, second?.id] }, { rank: "primary" });
  expect(both.body).toEqual({ decided: 1, passed_over: 1 });
  const { results } = (await get(`/${run}/findings`)).body;
  expect(results).toMatchObject([{ decision: "skipped", reason: "Moved away" }, { decision: "accepted" }]);
});

test("findings of converted records are neither counted nor corrected with those like them", async () => {
  const run = await checked(faulty(1, { member_id: "" }), faulty(2, { member_id: "" }));
  await db.run(sql`UPDATE migration_record SET state = 'converted' WHERE run_id = ${run} AND number = 1`);
  const [, { id }] = (await listOpen(run)) as [Listed, Listed];
  expect((await get(`/${run}/records/1`)).body.findings).toMatchObject([{ like: 0 }]);
  expect((await get(`/${run}/records/2`)).body.findings).toMatchObject([{ like: 1 }]);
  expect((await correct(run, { like: id }, { member_id: "A1" })).body).toEqual({ decided: 1, passed_over: 0 });
});

test("each filtered list of findings or records counts its rows", async () => {
  const run = await checked(
    ...[1, 2, 3].map((n) => faulty(n, { rank: "4" })),
    faulty(4, { carrier: "Hummana", insurance_company: null }),
    faulty(5, { start_date: "unknown" }),
    legacyPatient(6),
  );
  const [first, second] = await listOpen(run, "code=rank_unknown");
  await correct(run, { ids: [first?.id] }, { rank: "primary" });
  const skip = { decide: "skip", reason: "Moved away" };
  await post(`/${run}/decisions`, { findings: { ids: [second?.id] }, decision: skip });
  const accept = { findings: { filter: { fix: true, decision: "open" } }, decision: { decide: "accept" } };
  expect((await post(`/${run}/decisions`, accept)).body).toMatchObject({ decided: 1 });
  const filters = [
    "",
    "code=rank_unknown",
    "severity=error",
    "severity=warning",
    "code=absent",
    "fix=true",
    "fix=false",
  ];
  const decisions = ["", "open", "accepted", "corrected", "skipped"].map(
    (decision) => decision && `&decision=${decision}`,
  );
  const findings = filters.flatMap((filter) => decisions.map((decision) => `findings?${filter}${decision}`));
  const states = ["", "state=checked", "state=left_out", "state=converted", "verdict=create", "verdict=refused"];
  const counts: Record<string, number> = {};
  for (const list of [...findings, ...states.map((state) => `records?${state}`)]) {
    const { results } = (await get(`/${run}/${list}&limit=100`)).body;
    counts[list] = (await get(`/${run}/${list}&limit=1`)).body.count;
    expect([list, counts[list]]).toEqual([list, results.length]);
  }
  expect(counts).toMatchObject({
    "findings?": 5,
    "findings?code=rank_unknown": 3,
    "findings?&decision=corrected": 1,
    "findings?&decision=skipped": 1,
    "findings?&decision=accepted": 1,
    "records?": 6,
    "records?state=checked": 6,
  });
});

test("a correction of findings like one corrects up to 5,000 of them, and always that one", async () => {
  const run = await checked(faulty(1, { rank: "4" }), faulty(2, { rank: "4" }));
  const [first, second] = (await listOpen(run)) as [Listed, Listed];
  await db.run(sql`
    INSERT INTO migration_finding (run_id, number, patient, insurance, list, position, code, severity, field, found, message)
    SELECT run_id, number, patient, insurance, list, position, code, severity, field, found, message
    FROM migration_finding, generate_series(1, 5001) WHERE id = ${first.id}`);
  const last = await db.one<{ id: number }>(
    sql`UPDATE migration_finding SET id = DEFAULT WHERE id = ${second.id} RETURNING id`,
  );
  expect((await get(`/${run}/records/2`)).body.findings).toMatchObject([{ id: last.id, like: 5001 }]);
  const { body } = await correct(run, { like: last.id }, { rank: "primary" });
  expect(body).toEqual({ decided: 5000, passed_over: 0 });
  expect((await get(`/${run}/records/2`)).body.findings).toMatchObject([{ decision: "accepted" }]);
});

test("viewers can't correct findings or search payers, and other practices don't see the run", async () => {
  const run = await checked(faulty(1, { rank: "4" }));
  const viewer = await signInAs("viewer", [practice]);
  const other = await seedPractice(basics.organization, "Another", true);
  const stranger = await signInAs("admin", [other]);
  const [finding] = await listOpen(run);
  const body = { findings: { ids: [finding?.id] }, decision: { decide: "correct", values: { rank: "primary" } } };
  const path = (of: number) => `practices/${of}/migrations/${run}`;
  expect((await staffCallAs(viewer, "POST", `${path(practice)}/decisions`, { body })).status).toBe(403);
  expect((await staffCallAs(viewer, "GET", `${path(practice)}/payers`)).status).toBe(403);
  expect((await staffCallAs(stranger, "POST", `${path(other)}/decisions`, { body })).status).toBe(404);
  expect((await staffCallAs(stranger, "GET", `${path(other)}/payers`)).status).toBe(404);
  expect(await listOpen(run)).toEqual([finding]);
});

const sample = findSampleExport("legacy-patients-damaged");

describe.skipIf(!sample.found)("the damaged sample export", () => {
  /** What to enter for the errors without a proposed fix, by code and found value: for all findings alike, or one by one. */
  const BULK: Record<string, object> = {
    "rank_missing null": { rank: "primary" },
    'rank_duplicate "primary"': { rank: "secondary" },
    'date_order "2024-05-31"': { end_date: "May 31, 2025" },
    "carrier_missing null": { carrier: "Medicare", insurance_company: 5005 },
    'patient_dob_invalid "2090-01-01"': { dob: "1/1/1990" },
  };
  const SINGLE: Record<string, object> = {
    rank_unknown: { rank: "primary" },
    relationship_unknown: { relationship_to_insured: "Other" },
    patient_dob_invalid: { dob: "2/28/1999" },
    decimal_invalid: { copay: "20.00" },
  };

  /** Returns what to enter for one of the other errors, by the field that it names. */
  function valuesFor({ code, field, found }: Listed, n: number): object {
    if (code === "insurance_id_reused") return { id: 499_000_000 + n };
    if (code === "date_invalid") return { [field]: found === "unknown" ? "2024-01-01" : null };
    return SINGLE[code] ?? { [field]: field === "dob" ? "5/17/1980" : "X" };
  }

  test("is converted with 3 of 203 records skipped, after accepted fixes and corrections, and both stores match", async () => {
    const companies = fs.readFileSync(sample.companies, "utf8");
    const run = await check(fs.readFileSync(sample.file), { companies });
    const errors = async () => listOpen(run, "severity=error");
    expect((await get(`/${run}`)).body.totals.blocked.records).toBe(42);
    await post(`/${run}/decisions`, {
      findings: { filter: { fix: true, decision: "open" } },
      decision: { decide: "accept" },
    });
    let bulk = 0;
    for (;;) {
      const found = (await errors()).find((one) => BULK[`${one.code} ${JSON.stringify(one.found)}`]);
      if (!found) break;
      const { status, body } = await correct(
        run,
        { like: found.id },
        BULK[`${found.code} ${JSON.stringify(found.found)}`] ?? {},
      );
      expect([status, body], found.code).toEqual([200, { decided: expect.any(Number), passed_over: 0 }]);
      bulk += body.decided;
    }
    expect(bulk).toBe(14);
    for (let n = 1; ; n++) {
      const found = (await errors()).find(({ code }) => code !== "card_unreadable");
      if (!found) break;
      const { status, body } = await correct(run, { ids: [found.id] }, valuesFor(found, n));
      expect([status, body], found.code).toEqual([200, { decided: 1, passed_over: 0 }]);
    }
    const cards = await errors();
    expect(cards).toHaveLength(3);
    const skip = { decide: "skip", reason: "The card must be scanned again" };
    await post(`/${run}/decisions`, { findings: { ids: cards.map(({ id }) => id) }, decision: skip });
    expect((await post(`/${run}/conversion`, undefined)).status).toBe(200);
    await workRun(run);
    await post(`/${run}/work`, { work: "verify" });
    await workRun(run);
    const { run: view, totals } = (await get(`/${run}`)).body;
    expect(view).toMatchObject({ state: "verified", verification: { different: 0 } });
    expect(totals.states).toEqual({ verified: 200, left_out: 3 });
    await expectStoresEqual(practice);
    const [{ count }] = (await db.rows(sql`SELECT count(*) AS count FROM patient WHERE practice_id = ${practice}`)) as [
      { count: number },
    ];
    expect(count).toBe(200);
  }, 120_000);
});
