// Values that staff enter instead of those in the export, from the finding to both stores.
import { describe, expect, test } from "vitest";
import { exportFindings } from "@/lib/migration/check/exports";
import { getRecordPage } from "@/lib/migration/check/record-queries";
import { getRunTotals } from "@/lib/migration/runs/run-counts";
import { db, sql } from "@/lib/platform/db/sql";
import {
  COMPANIES,
  expectStoresEqual,
  legacyInsurance,
  legacyPatient,
  pastInsurance,
  writeLines,
} from "../support/legacy-export";
import { decisionsOf, seedMigratingPracticeBeforeEach, statesOf } from "../support/migrating-practice";
import { convert, createCheckedRun, recordsOf, requestFor, rollBack, verify } from "../support/migration-runs";

type Fields = Record<string, unknown>;

const practice = seedMigratingPracticeBeforeEach();
const { check, decide } = practice;

/** Builds patient n with one current insurance with these fields. */
const faulty = (n: number, fields: Fields) => legacyPatient(n, { insurances: [legacyInsurance(10 * n, fields)] });

async function idOf(runId: number, code: string, number?: number): Promise<number> {
  const found = (await decisionsOf(runId)).find((one) => one.code === code && (number ?? one.number) === one.number);
  if (!found) throw new Error(`no ${code}`);
  return found.id;
}

type Values = Record<string, string | number | null>;

const correct = async (runId: number, code: string, values: Values, number?: number) =>
  decide(runId, { ids: [await idOf(runId, code, number)] }, { decide: "correct", values });
const correctLike = async (runId: number, code: string, values: Values) =>
  decide(runId, { like: await idOf(runId, code) }, { decide: "correct", values });

const policies = () =>
  db.rows<Fields>(sql`
    SELECT i.external_id, p.rank, p.carrier, p.copay, p.start_date FROM policy p JOIN patient_insurance i ON i.policy_id = p.id
    WHERE p.practice_id = ${practice.id} AND p.status = 'active' ORDER BY 1`);
const findingsOf = async (runId: number) =>
  (await decisionsOf(runId)).map(({ number, code, decision }) => `${number} ${code} ${decision}`);

describe("a correction", () => {
  test("resolves its finding, and the conversion writes it; the export stays as it was", async () => {
    const runId = await check([faulty(1, { rank: "4", start_date: "unknown" }), legacyPatient(2)]);
    const before = await db.rows(
      sql`SELECT raw, fingerprint FROM migration_record WHERE run_id = ${runId} ORDER BY number`,
    );
    expect(await correct(runId, "rank_unknown", { rank: "Secondary " })).toEqual({ decided: 1, passed_over: 0 });
    expect(await statesOf(runId)).toEqual(["refused checked 1", "create checked 0"]);
    expect(await correct(runId, "date_invalid", { start_date: "Mar 5, 2016" })).toEqual({ decided: 1, passed_over: 0 });
    expect(await statesOf(runId)).toEqual(["create checked 0", "create checked 0"]);
    expect((await getRunTotals(runId)).blocked).toEqual({ records: 0, findings: 0 });
    expect((await decisionsOf(runId))[0]).toMatchObject({
      decision: "accepted",
      decided_by: requestFor(practice.id).origin.actor,
    });
    await convert(practice.id, runId);
    expect(await policies()).toMatchObject([
      { external_id: 10, rank: 2, start_date: "2016-03-05" },
      { external_id: 20 },
    ]);
    expect(await verify(practice.id, runId)).toMatchObject({ records: 2, different: 0 });
    await expectStoresEqual(practice.id);
    expect(
      await db.rows(sql`SELECT raw, fingerprint FROM migration_record WHERE run_id = ${runId} ORDER BY number`),
    ).toEqual(before);
    await rollBack(practice.id, runId);
    expect(await policies()).toEqual([]);
  });

  test("of a patient's fields resolves several findings, one after the other", async () => {
    const runId = await check([legacyPatient(1, { first_name: " ", dob: "1999-02-29", sex: "?" })]);
    await correct(runId, "patient_identity_missing", { first_name: "Ann" });
    await correct(runId, "patient_dob_invalid", { dob: "2/28/99" });
    await correct(runId, "sex_unknown", { sex: "Other" });
    await convert(practice.id, runId);
    const [patient] = await db.rows(sql`SELECT first_name, dob, sex FROM patient WHERE practice_id = ${practice.id}`);
    expect(patient).toEqual({ first_name: "Ann", dob: "1999-02-28", sex: "Other" });
    expect(await verify(practice.id, runId)).toMatchObject({ different: 0 });
  });

  test("replaces a proposed fix, and reopening the finding proposes the fix again", async () => {
    const runId = await check([faulty(1, { copay: "$20" })]);
    await correct(runId, "decimal_invalid", { copay: "35" });
    const fixOf = async () =>
      (await db.first<{ fix: unknown }>(sql`SELECT fix FROM migration_finding WHERE run_id = ${runId}`))?.fix;
    expect(await fixOf()).toMatchObject({ values: { copay: "35.00" }, corrected: true });
    await decide(runId, { ids: [await idOf(runId, "decimal_invalid")] }, { decide: "reopen" });
    expect(await fixOf()).toEqual({
      values: { copay: "20.00" },
      why: "The same amount without symbols or commas.",
    });
    expect(await statesOf(runId)).toEqual(["refused checked 1"]);
  });

  test("is rejected if the finding was corrected or skipped in the meantime", async () => {
    const runId = await check([faulty(1, { copay: "$20" }), faulty(2, { rank: "4" })]);
    const decisions = () =>
      db.rows(
        sql`SELECT decision, reason, fix, decided_date FROM migration_finding WHERE run_id = ${runId} ORDER BY number`,
      );
    await correct(runId, "decimal_invalid", { copay: "35" });
    await decide(runId, { ids: [await idOf(runId, "rank_unknown")] }, { decide: "skip", reason: "Moved away" });
    const before = await decisions();
    for (const [code, values] of [
      ["decimal_invalid", { copay: "36" }],
      ["rank_unknown", { rank: "primary" }],
    ] as const) {
      await expect(correct(runId, code, values)).rejects.toMatchObject({ reason: "finding_decided" });
    }
    expect(await decisions()).toEqual(before);
    await decide(runId, { ids: [await idOf(runId, "rank_unknown")] }, { decide: "reopen" });
    expect(await correct(runId, "rank_unknown", { rank: "primary" })).toEqual({ decided: 1, passed_over: 0 });
  });

  test("updates a policy that the practice has, and a rollback restores it", async () => {
    await convert(practice.id, await check([legacyPatient(1)]));
    const runId = await check([faulty(1, { copay: "a lot" })]);
    await correct(runId, "decimal_invalid", { copay: "$1,250" });
    expect(await statesOf(runId)).toEqual(["update checked 0"]);
    await convert(practice.id, runId);
    expect(await policies()).toMatchObject([{ external_id: 10, copay: "1250.00" }]);
    expect(await verify(practice.id, runId)).toMatchObject({ records: 1, different: 0 });
    await expectStoresEqual(practice.id);
    await rollBack(practice.id, runId);
    expect(await policies()).toMatchObject([{ external_id: 10, copay: "20.00" }]);
  });

  test("reads a two-digit year as the one near today, as forms do", async () => {
    const past = [pastInsurance(11, { deleted_date: "?" })];
    const runId = await check([faulty(1, { start_date: "?" }), legacyPatient(2, { deleted_insurances: past })]);
    await correct(runId, "date_invalid", { start_date: "3/5/16" });
    await correct(runId, "time_invalid", { deleted_date: "12/31/24" });
    const fixes = await db.rows(
      sql`SELECT fix->'values' AS values FROM migration_finding WHERE run_id = ${runId} AND fix IS NOT NULL ORDER BY number`,
    );
    expect(fixes).toEqual([
      { values: { start_date: "2016-03-05" } },
      { values: { deleted_date: "2024-12-31T00:00:00Z" } },
    ]);
  });

  test("of a past insurance keeps the insurance", async () => {
    const past = [pastInsurance(11, { rank: "fourth" })];
    const runId = await check([legacyPatient(1, { deleted_insurances: past })]);
    await correct(runId, "past_rank_invalid", { rank: "tertiary" });
    expect(await statesOf(runId)).toEqual(["create checked 0"]);
    await convert(practice.id, runId);
    expect(await verify(practice.id, runId)).toMatchObject({ different: 0 });
  });

  test.each<[string, Fields, string, Values, Fields]>([
    ["still has the error", { rank: "4" }, "rank_unknown", { rank: "5" }, { rank: [/^Unknown rank\. /] }],
    ["is blank", { rank: "4" }, "rank_unknown", { rank: " " }, { rank: [/^Rank is missing\. /] }],
    [
      "causes another error",
      { start_date: "unknown", end_date: "2016-01-01" },
      "date_invalid",
      { start_date: "3/5/2017" },
      { start_date: [/^Termination date is before effective date\. /] },
    ],
    [
      "has two meanings",
      { start_date: "?" },
      "date_invalid",
      { start_date: "3/5/75" },
      { start_date: [/four digits/] },
    ],
    ["is too long", { member_id: "" }, "member_id_missing", { member_id: "1".repeat(51) }, { member_id: [/too long/] }],
    [
      "has a NUL",
      { member_id: "" },
      "member_id_missing",
      { member_id: "a\u0000b" },
      { member_id: [/can't be stored/] },
    ],
    ["is for another field", { rank: "4" }, "rank_unknown", { carrier: "X" }, { carrier: [/can't be corrected/] }],
    ["is absent", { rank: "4" }, "rank_unknown", {}, { values: [/Enter at least one/] }],
  ])("that %s is reported at the field, and nothing is stored", async (_name, fields, code, values, problems) => {
    const runId = await check([faulty(1, fields)]);
    const before = [await findingsOf(runId), await statesOf(runId)];
    const expected = Object.fromEntries(
      Object.entries(problems).map(([field, messages]) => [
        field,
        (messages as RegExp[]).map((message) => expect.stringMatching(message)),
      ]),
    );
    await expect(correct(runId, code, values)).rejects.toMatchObject({ fields: expected });
    expect([await findingsOf(runId), await statesOf(runId)]).toEqual(before);
  });

  test("that gives an insurance the rank of another one is rejected, whichever of them comes first", async () => {
    const insurances = [legacyInsurance(10, { rank: "4" }), legacyInsurance(19, { rank: "secondary" })];
    const runId = await check([legacyPatient(1, { insurances })]);
    await expect(correct(runId, "rank_unknown", { rank: "secondary" })).rejects.toMatchObject({
      fields: { rank: [expect.stringMatching(/^Two current insurance records have the same rank\./)] },
    });
    expect(await findingsOf(runId)).toEqual(["1 rank_unknown open"]);
  });

  test("has no effect on records that are converted, and none on the practice's own", async () => {
    const runId = await check([faulty(1, { member_id: "" })]);
    await convert(practice.id, runId);
    expect(await correct(runId, "member_id_missing", { member_id: "A1" })).toEqual({ decided: 0, passed_over: 1 });
    await db.run(sql`UPDATE migration_run SET source = 'practice' WHERE id = ${runId}`);
    await expect(correct(runId, "member_id_missing", { member_id: "A1" })).rejects.toMatchObject({
      fields: { findings: ["Correct the practice's own records on the patient's page."] },
    });
  });

  test("can name a payer, which the conversion links", async () => {
    const runId = await check([
      faulty(1, { carrier: null, insurance_company: null }),
      faulty(2, { carrier: "Old name", insurance_company: 77 }),
    ]);
    await correct(runId, "carrier_missing", { carrier: "Aetna", insurance_company: 5001 });
    await correct(runId, "company_unknown", { carrier: "Humana", insurance_company: null });
    await convert(practice.id, runId);
    const rows = await db.rows(sql`
      SELECT c.carrier FROM policy p JOIN insurance_company c ON c.id = p.insurance_company
      WHERE p.practice_id = ${practice.id} AND p.status = 'active' ORDER BY p.patient_id`);
    expect(rows).toEqual([{ carrier: "Aetna" }, { carrier: "Humana" }]);
    expect(await verify(practice.id, runId)).toMatchObject({ records: 2, different: 0 });
  });
});

describe("the correction of an insurance ID", () => {
  const shared = () => check([faulty(1, { id: 500 }), faulty(2, { id: 500 }), faulty(3, { id: 30 })]);

  test("resolves the finding on the other record too, and reopening it reports both again", async () => {
    const runId = await shared();
    expect(await findingsOf(runId)).toEqual(["1 insurance_id_reused open", "2 insurance_id_reused open"]);
    expect(await correct(runId, "insurance_id_reused", { id: "501" }, 2)).toEqual({ decided: 1, passed_over: 0 });
    expect(await findingsOf(runId)).toEqual(["2 insurance_id_reused accepted"]);
    expect(await statesOf(runId)).toEqual(["create checked 0", "create checked 0", "create checked 0"]);
    const blocked = async () => (await getRunTotals(runId)).blocked;
    expect(await blocked()).toEqual({ records: 0, findings: 0 });
    await decide(runId, { ids: [await idOf(runId, "insurance_id_reused")] }, { decide: "reopen" });
    expect(await findingsOf(runId)).toEqual(["1 insurance_id_reused open", "2 insurance_id_reused open"]);
    expect(await blocked()).toEqual({ records: 2, findings: 2 });
    await correct(runId, "insurance_id_reused", { id: 501 }, 2);
    await convert(practice.id, runId);
    expect((await policies()).map(({ external_id: id }) => id)).toEqual([30, 500, 501]);
    expect(await verify(practice.id, runId)).toMatchObject({ records: 3, different: 0 });
  });

  test("is rejected if another record has the new ID, or it is for several findings", async () => {
    const runId = await shared();
    // Current on record 3, and past on record 2.
    for (const id of [30, 22]) {
      await expect(correct(runId, "insurance_id_reused", { id }, 1)).rejects.toMatchObject({
        fields: { id: [expect.stringMatching(/^Another insurance of the export has this ID\./)] },
      });
    }
    await expect(correct(runId, "insurance_id_reused", { id: "x" }, 1)).rejects.toMatchObject({
      fields: { id: [expect.stringMatching(/whole number/)] },
    });
    await expect(correctLike(runId, "insurance_id_reused", { id: 501 })).rejects.toMatchObject({
      fields: { id: [expect.stringMatching(/one finding at a time/)] },
    });
    expect(await findingsOf(runId)).toEqual(["1 insurance_id_reused open", "2 insurance_id_reused open"]);
  });
});

describe("a correction in bulk", () => {
  const unmatched = (n: number, carrier: string) => faulty(n, { carrier, insurance_company: null });

  test("corrects every open finding with the same code, field and value, and no other", async () => {
    const runId = await check([
      unmatched(1, "Hummana"),
      unmatched(2, "Hummana"),
      unmatched(3, "Aetnna"),
      legacyPatient(4, {
        insurances: ["primary", "secondary"].map((rank, at) =>
          legacyInsurance(48 + at, { rank, carrier: "Hummana", insurance_company: null }),
        ),
      }),
    ]);
    const page = await getRecordPage(requestFor(practice.id).access, runId, 1);
    expect(page.findings).toMatchObject([{ like: 4, inputs: [{ field: "carrier", kind: "payer", value: "Hummana" }] }]);
    expect(await correctLike(runId, "carrier_unmatched", { carrier: "Humana" })).toEqual({
      decided: 4,
      passed_over: 0,
    });
    expect(await findingsOf(runId)).toEqual([
      "1 carrier_unmatched accepted",
      "2 carrier_unmatched accepted",
      "3 carrier_unmatched open",
      "4 carrier_unmatched accepted",
      "4 carrier_unmatched accepted",
    ]);
    await convert(practice.id, runId);
    expect((await policies()).map(({ carrier }) => carrier)).toEqual([
      "Humana",
      "Humana",
      "Aetnna",
      "Humana",
      "Humana",
    ]);
  });

  test("leaves out records whose error it doesn't resolve, and says how many", async () => {
    const two = legacyPatient(2, {
      insurances: [legacyInsurance(20, { rank: "4" }), legacyInsurance(29, { rank: "secondary" })],
    });
    const runId = await check([faulty(1, { rank: "4" }), two, faulty(3, { rank: "4" })]);
    expect(await correctLike(runId, "rank_unknown", { rank: "secondary" })).toEqual({
      decided: 2,
      passed_over: 1,
      unresolved: 1,
    });
    expect(await statesOf(runId)).toEqual(["create checked 0", "refused checked 1", "create checked 0"]);
  });

  test("is rejected for findings that differ", async () => {
    const runId = await check([faulty(1, { rank: "4" }), faulty(2, { rank: "5" })]);
    await expect(
      decide(runId, { filter: { code: "rank_unknown" } }, { decide: "correct", values: { rank: "primary" } }),
    ).rejects.toMatchObject({ fields: { findings: [expect.stringContaining("same code, field and value")] } });
  });
});

describe("corrections of a run", () => {
  test("are listed apart from accepted fixes, and exported with who made them", async () => {
    const runId = await check([faulty(1, { copay: "$20" }), faulty(2, { rank: "4" })]);
    await decide(runId, { filter: { code: "decimal_invalid" } }, { decide: "accept" });
    await correct(runId, "rank_unknown", { rank: "primary" });
    const { access } = requestFor(practice.id);
    const csv = await exportFindings(access, runId, { decision: "corrected", format: "csv" });
    const [, row, end] = csv.content.split("\r\n");
    expect(row).toMatch(/rank_unknown.*"{""rank"":""primary""}",corrected,Test,/);
    expect(end).toBe("");
    const accepted = await exportFindings(access, runId, { decision: "accepted", format: "csv" });
    expect(accepted.content).toContain("decimal_invalid");
    expect(accepted.content).not.toContain("rank_unknown");
  });

  test("carry over to a corrected export if the value that they replace is still there", async () => {
    const companies = writeLines("companies.ndjson", COMPANIES);
    const patients = [
      faulty(1, { rank: "4" }),
      faulty(2, { rank: "4" }),
      faulty(3, { rank: "4" }),
      legacyPatient(4, { dob: "2090-01-01" }),
      faulty(5, { id: 10 }),
    ];
    const first = await check(patients);
    await correct(first, "insurance_id_reused", { id: 50 }, 5);
    await correctLike(first, "rank_unknown", { rank: "primary" });
    await correct(first, "patient_dob_invalid", { dob: "1990-01-01" });
    const [one, two, three, four, five] = patients as [Fields, Fields, Fields, Fields, Fields];
    const file = writeLines("second.ndjson", [
      { ...five, middle_name: "New" },
      one,
      // The insurance moved within the list, and the patient changed.
      {
        ...two,
        middle_name: "New",
        insurances: [legacyInsurance(29, { rank: "secondary" }), legacyInsurance(20, { rank: "4" })],
      },
      // The value was corrected in the source.
      { ...three, insurances: [legacyInsurance(30, { rank: "tertiary" })] },
      { ...four, middle_name: "New" },
    ]);
    const second = await createCheckedRun(practice.id, file, { companies, follows: first });
    expect(await findingsOf(second)).toEqual([
      "1 insurance_id_reused accepted",
      "2 rank_unknown accepted",
      "3 rank_unknown accepted",
      "5 patient_dob_invalid accepted",
    ]);
    expect((await recordsOf(second)).map(({ verdict }) => verdict)).toEqual(Array(5).fill("create"));
    await convert(practice.id, second);
    expect((await policies()).map(({ external_id: id, rank }) => [id, rank])).toEqual([
      [10, 1],
      [20, 1],
      [29, 2],
      [30, 3],
      [40, 1],
      [50, 1],
    ]);
    expect(await verify(practice.id, second)).toMatchObject({ records: 5, different: 0 });
  });
});
