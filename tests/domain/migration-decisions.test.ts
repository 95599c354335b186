// Decisions on findings between the check and the conversion, and their effect on the records.
import { describe, expect, test } from "vitest";
import { decideFindings } from "@/lib/migration/check/decide";
import { countRun, getRunTotals, listFindingGroups } from "@/lib/migration/runs/run-counts";
import { db, sql } from "@/lib/platform/db/sql";
import {
  COMPANIES,
  countStores,
  legacyInsurance,
  legacyPatient,
  pastInsurance,
  writeLines,
} from "../support/legacy-export";
import { decisionsOf, seedMigratingPracticeBeforeEach, statesOf } from "../support/migrating-practice";
import { convert, createCheckedRun, recordsOf, requestFor, skipErrors, verify } from "../support/migration-runs";
import { runScript } from "../support/run-script";
import { signInAs } from "../support/staff";

type Fields = Record<string, unknown>;

const practice = seedMigratingPracticeBeforeEach();
const { check, decide, startConverting } = practice;

/** Builds patient n with one current insurance with these fields. */
const faulty = (n: number, fields: Fields) => legacyPatient(n, { insurances: [legacyInsurance(10 * n, fields)] });

const idsOf = async (runId: number, code: string) =>
  (await decisionsOf(runId)).filter((one) => one.code === code).map(({ id }) => id);

test("a decision stays with its finding if another one has the same code and place", async () => {
  const heading = "patient_id,first_name,last_name,dob,sex,insurance.id,rank,carrier,member_id";
  const rows = ["primary", "secondary", "tertiary"].map(
    (rank, at) => `1,Ann,Lee,1980-05-17,Female,1${at},${rank},Humana,M`,
  );
  const damaged = rows.map((row, at) => (at === 0 ? row : row.slice(0, 20)));
  const companies = writeLines("companies.ndjson", COMPANIES);
  const runId = await createCheckedRun(practice.id, writeLines("rows.csv", [heading, ...damaged]), { companies });
  const [one, two] = await decisionsOf(runId);
  expect([one, two]).toMatchObject([{ code: "row_rejected" }, { code: "row_rejected" }]);
  const messages = () =>
    db.rows<{ message: string }>(sql`SELECT message FROM migration_finding WHERE run_id = ${runId} ORDER BY id`);
  const before = await messages();
  expect(before.map(({ message }) => message.slice(0, 6))).toEqual(["Line 3", "Line 4"]);
  await decide(runId, { ids: [two?.id as number] }, { decide: "skip", reason: "Half of it is gone." });
  expect(await decisionsOf(runId)).toMatchObject([
    { id: one?.id, decision: "open" },
    { id: two?.id, decision: "skipped", reason: "Half of it is gone." },
  ]);
  expect(await messages()).toEqual(before);
});

test("the counts that pages show are kept until a decision or a stage changes them", async () => {
  const runId = await check([faulty(1, { copay: "$20" }), legacyPatient(2)]);
  const ids = await idsOf(runId, "decimal_invalid");
  const expectCurrent = async () => {
    const counted = { totals: await getRunTotals(runId), groups: await listFindingGroups(runId) };
    const kept = await countRun(runId);
    expect(kept).toEqual(counted);
    expect(await countRun(runId)).toBe(kept);
    return kept;
  };
  const open = await expectCurrent();
  await decide(runId, { ids }, { decide: "accept" });
  expect(await expectCurrent()).not.toEqual(open);
  await decide(runId, { ids }, { decide: "reopen" });
  expect(await expectCurrent()).toEqual(open);
  await decide(runId, { ids }, { decide: "accept" });
  await convert(practice.id, runId);
  expect((await expectCurrent()).totals.states).toEqual({ converted: 2 });
  await verify(practice.id, runId);
  expect((await expectCurrent()).totals.readiness.verified).toBe(2);
});

describe("a fix", () => {
  test("adds a finding that needs a decision if it causes a new error, and skips nothing", async () => {
    const runId = await check([faulty(1, { start_date: "2021-1-5", end_date: "2020-06-30" })]);
    const ids = await idsOf(runId, "date_invalid");
    const result = await decide(runId, { ids }, { decide: "accept" });
    expect(result).toEqual({ decided: 1, passed_over: 0, new_errors: 1 });
    expect(await decisionsOf(runId)).toMatchObject([
      { code: "date_invalid", decision: "accepted" },
      { code: "date_order", decision: "open" },
    ]);
    expect(await statesOf(runId)).toEqual(["refused checked 1"]);
    await expect(startConverting(runId)).rejects.toMatchObject({ reason: "blockers_remain" });
  });

  test("is applied when it is accepted, and the record is checked again: its verdict and the counts are correct immediately", async () => {
    const runId = await check([faulty(1, { copay: "$20" }), faulty(2, { rank: "1st" }), legacyPatient(3)]);
    expect(await statesOf(runId)).toEqual(["refused checked 1", "refused checked 1", "create checked 0"]);
    const ids = await idsOf(runId, "decimal_invalid");
    expect(await decide(runId, { ids }, { decide: "accept" })).toEqual({ decided: 1, passed_over: 0 });
    expect(await statesOf(runId)).toEqual(["create checked 0", "refused checked 1", "create checked 0"]);
    const totals = await getRunTotals(runId);
    expect(totals.patients).toEqual({ create: 2, update: 0, unchanged: 0, archive: 0, refused: 1, records: 3 });
    expect(totals.insurances).toEqual({ create: 2, update: 0, unchanged: 0, archive: 4, refused: 3, records: 9 });
    expect(totals.blocked).toEqual({ records: 1, findings: 1 });
    expect(totals.readiness).toEqual({ verified: 0, convertible: 2, person: 1, refused: 0 });
    expect(await decisionsOf(runId)).toMatchObject([
      { code: "decimal_invalid", decision: "accepted", decided_by: requestFor(practice.id).origin.actor },
      { code: "rank_unknown", decision: "open", decided_by: null },
    ]);
  });

  test("is accepted in bulk by a filter, unless there is none or the finding is already decided", async () => {
    const runId = await check([
      faulty(1, { copay: "$20", rank: "1st", start_date: "2015/1/1" }),
      faulty(2, { copay: "a lot", carrier: "Humanna", insurance_company: null }),
      faulty(3, { relationship_to_insured: "Self" }),
    ]);
    expect(await decide(runId, { filter: { decision: "open" } }, { decide: "accept" })).toEqual({
      decided: 5,
      passed_over: 1,
    });
    expect(await statesOf(runId)).toEqual(["create checked 0", "refused checked 1", "create checked 0"]);
    expect(await decide(runId, { filter: { code: "rank_unknown" } }, { decide: "accept" })).toEqual({
      decided: 0,
      passed_over: 1,
    });
    await skipErrors(practice.id, runId);
    await convert(practice.id, runId);
    const rows = await db.rows(sql`
      SELECT i.external_id, p.rank, p.copay, p.start_date, p.relationship_to_insured FROM policy p
      JOIN patient_insurance i ON i.policy_id = p.id WHERE p.practice_id = ${practice.id} AND p.status = 'active' ORDER BY 1`);
    expect(rows).toEqual([
      { external_id: 10, rank: 1, copay: "20.00", start_date: "2015-01-01", relationship_to_insured: null },
      { external_id: 30, rank: 1, copay: "20.00", start_date: "2015-01-01", relationship_to_insured: null },
    ]);
    expect(await verify(practice.id, runId)).toMatchObject({ records: 2, different: 0 });
  });

  test("leaves the finding open and the record unchanged if it does not correct the record", async () => {
    const runId = await check([faulty(1, { copay: "$20" })]);
    const ids = await idsOf(runId, "decimal_invalid");
    await db.run(
      sql`UPDATE migration_finding SET fix = '{"values": {"copay": "€20"}, "why": "-"}' WHERE run_id = ${runId}`,
    );
    await decide(runId, { ids }, { decide: "accept" });
    expect((await decisionsOf(runId)).map(({ decision }) => decision)).toEqual(["accepted", "open"]);
    expect(await statesOf(runId)).toEqual(["refused checked 1"]);
    await expect(startConverting(runId)).rejects.toThrow("Resolve the open errors first (1 in 1 of the records)");
    // Undoing leaves one finding and no duplicate.
    await decide(runId, { ids }, { decide: "reopen" });
    expect((await decisionsOf(runId)).map(({ code, decision }) => [code, decision])).toEqual([
      ["decimal_invalid", "open"],
    ]);
  });

  test("has no effect after it is undone: the record is rejected as before", async () => {
    const runId = await check([faulty(1, { rank: "1st" })]);
    const ids = await idsOf(runId, "rank_unknown");
    await decide(runId, { ids }, { decide: "accept" });
    expect(await statesOf(runId)).toEqual(["create checked 0"]);
    expect(await decide(runId, { ids }, { decide: "reopen" })).toEqual({ decided: 1, passed_over: 0 });
    expect(await statesOf(runId)).toEqual(["refused checked 1"]);
    expect(await decisionsOf(runId)).toMatchObject([{ decision: "open", decided_by: null }]);
  });
});

describe("a record with an error", () => {
  test("is skipped only with a reason; a skipped warning skips nothing", async () => {
    const runId = await check([faulty(1, { copay: "a lot", rank: "fourth" }), faulty(2, { member_id: "" })]);
    await expect(startConverting(runId)).rejects.toMatchObject({
      code: "business_rule",
      reason: "blockers_remain",
      message: expect.stringContaining("Resolve the open errors first (2 in 1 of the records)"),
    });
    const [ids, warnings] = [await idsOf(runId, "decimal_invalid"), await idsOf(runId, "member_id_missing")];
    await expect(decide(runId, { ids }, { decide: "skip", reason: "  " })).rejects.toThrow();
    expect(await statesOf(runId)).toEqual(["refused checked 2", "create checked 0"]);
    await decide(runId, { ids: [...ids, ...warnings] }, { decide: "skip", reason: " Moved away " });
    expect(await statesOf(runId)).toEqual(["refused checked 0", "create checked 0"]);
    expect(await decisionsOf(runId)).toMatchObject([
      { code: "rank_unknown", decision: "open", reason: null },
      { code: "decimal_invalid", decision: "skipped", reason: "Moved away" },
      { code: "member_id_missing", decision: "skipped", reason: "Moved away" },
    ]);
    expect((await getRunTotals(runId)).readiness).toEqual({ verified: 0, convertible: 1, person: 0, refused: 1 });

    await decide(runId, { ids }, { decide: "reopen" });
    await expect(startConverting(runId)).rejects.toThrow("Resolve the open errors first (2 in 1 of the records)");
    await decide(runId, { ids }, { decide: "skip", reason: "Moved away" });
    await convert(practice.id, runId);
    expect(await statesOf(runId)).toEqual(["refused left_out 0", "create converted 0"]);
    expect(await countStores(practice.id)).toMatchObject({ patients: 1, active: 1 });
  });

  test("accepts decisions after it was skipped, but not after it was converted", async () => {
    const runId = await check([faulty(1, { copay: "$20" }), faulty(2, { member_id: "" })]);
    await skipErrors(practice.id, runId);
    await convert(practice.id, runId);
    const [warning] = await idsOf(runId, "member_id_missing");
    expect(await decide(runId, { ids: [warning as number] }, { decide: "skip", reason: "Known" })).toEqual({
      decided: 0,
      passed_over: 1,
    });
    const ids = await idsOf(runId, "decimal_invalid");
    expect(await decide(runId, { ids }, { decide: "accept" })).toEqual({ decided: 1, passed_over: 0 });
    expect(await statesOf(runId)).toEqual(["create checked 0", "create converted 0"]);
    await convert(practice.id, runId);
    expect(await statesOf(runId)).toEqual(["create converted 0", "create converted 0"]);
    expect(await verify(practice.id, runId)).toMatchObject({ records: 2, different: 0 });
    expect(await statesOf(runId)).toEqual(["create verified 0", "create verified 0"]);
  });

  test("is assigned with a due date and a note; omitted fields stay unchanged", async () => {
    const runId = await check([faulty(1, { copay: "$20" }), faulty(2, { copay: "$30" })]);
    const { userId } = await signInAs("admin", [practice.id]);
    const all = { filter: { code: "decimal_invalid" } } as const;
    const given = { decide: "assign", owner_id: userId, due_date: "2026-03-01", note: "Ask them" } as const;
    expect(await decide(runId, all, given)).toEqual({ decided: 2, passed_over: 0 });
    const [first] = await idsOf(runId, "decimal_invalid");
    await decide(runId, { ids: [first as number] }, { decide: "assign", note: null });
    expect(await decisionsOf(runId)).toMatchObject([
      { owner_id: userId, due_date: "2026-03-01", note: null, decision: "open" },
      { owner_id: userId, due_date: "2026-03-01", note: "Ask them", decision: "open" },
    ]);
    await decide(runId, { filter: { owner: userId } }, { decide: "assign", owner_id: null });
    expect((await decisionsOf(runId)).map(({ owner_id, due_date }) => [owner_id, due_date])).toEqual([
      [null, "2026-03-01"],
      [null, "2026-03-01"],
    ]);
    expect(await statesOf(runId)).toEqual(["refused checked 1", "refused checked 1"]);
    const stranger = await signInAs("admin", [await practice.seedAnother()]);
    await expect(decide(runId, all, { decide: "assign", owner_id: stranger.userId })).rejects.toThrow();
    expect((await decisionsOf(runId)).map(({ owner_id }) => owner_id)).toEqual([null, null]);
  });

  test("can't be changed by another practice", async () => {
    const runId = await check([faulty(1, { copay: "$20" })]);
    const stranger = requestFor(await practice.seedAnother());
    const ids = await idsOf(runId, "decimal_invalid");
    await expect(decideFindings(stranger, runId, { ids }, { decide: "accept" })).rejects.toMatchObject({
      code: "not_found",
    });
    const other = await check([faulty(1, { copay: "$20" })]);
    expect(await decide(other, { ids }, { decide: "accept" })).toEqual({ decided: 0, passed_over: 0 });
    expect(await statesOf(runId)).toEqual(["refused checked 1"]);
  });
});

describe("an invalid past insurance", () => {
  const bad = (n: number) =>
    legacyPatient(n, {
      deleted_insurances: [
        pastInsurance(10 * n + 1),
        pastInsurance(10 * n + 2, { copay: "free", rank: "1st" }),
        pastInsurance(10 * n + 3, { rank: "secondary" }),
      ],
    });
  const pastOf = (practice: number) =>
    db.rows<{ external_id: number }>(sql`
      SELECT external_id FROM patient_insurance WHERE practice_id = ${practice} AND deleted_date IS NOT NULL ORDER BY 1`);

  test("is skipped by decision, and its patient is converted with all others", async () => {
    const runId = await check([bad(1)]);
    expect(await statesOf(runId)).toEqual(["refused checked 2"]);
    const ids = await idsOf(runId, "past_decimal_invalid");
    await decide(runId, { ids }, { decide: "skip", reason: "Lost years ago" });
    expect(await statesOf(runId)).toEqual(["create checked 0"]);
    const { insurances } = await getRunTotals(runId);
    expect(insurances).toMatchObject({ create: 1, archive: 2, refused: 1, records: 4 });
    await convert(practice.id, runId);
    expect((await pastOf(practice.id)).map(({ external_id: id }) => id)).toEqual([11, 13]);
    expect(await verify(practice.id, runId)).toMatchObject({ different: 0 });
    expect(await decisionsOf(runId)).toMatchObject([
      { code: "past_decimal_invalid", decision: "skipped", reason: "Lost years ago" },
      { code: "past_rank_invalid", decision: "open" },
    ]);
  });

  test("can cause an error in its patient if it is skipped, which the result counts", async () => {
    await convert(practice.id, await check([legacyPatient(1)]));
    const runId = await check([{ ...bad(1), insurances: [] }]);
    const ids = await idsOf(runId, "past_decimal_invalid");
    const result = await decide(runId, { ids }, { decide: "skip", reason: "Lost" });
    expect(result).toEqual({ decided: 1, passed_over: 0, new_errors: 1 });
    expect((await decisionsOf(runId)).filter(({ code }) => code === "insurance_absent")).toMatchObject([
      { decision: "open" },
    ]);
  });

  test("keeps its rank if it is skipped but active here, and another insurance for that rank is rejected", async () => {
    await convert(practice.id, await check([legacyPatient(1)]));
    const [active] = legacyPatient(1).insurances as [Fields & { id: number }];
    const ended = pastInsurance(active.id, { copay: "free" });
    const runId = await check([legacyPatient(1, { insurances: [legacyInsurance(990)], deleted_insurances: [ended] })]);
    const ids = await idsOf(runId, "past_decimal_invalid");
    expect(await decide(runId, { ids }, { decide: "skip", reason: "Lost" })).toMatchObject({ new_errors: 1 });
    expect((await decisionsOf(runId)).filter(({ code }) => code === "rank_held_here")).toHaveLength(1);
    expect(await statesOf(runId)).toEqual(["refused checked 1"]);
  });

  test("returns when the decision is undone", async () => {
    const runId = await check([bad(1)]);
    const ids = await idsOf(runId, "past_decimal_invalid");
    await decide(runId, { ids }, { decide: "skip", reason: "Lost" });
    await decide(runId, { ids: await idsOf(runId, "past_decimal_invalid") }, { decide: "reopen" });
    expect(await statesOf(runId)).toEqual(["refused checked 2"]);
  });

  test("stays unchanged in the practice if a later export skips it", async () => {
    const first = await check([legacyPatient(1)]);
    await convert(practice.id, first);
    const ended = legacyInsurance(10, { deleted_date: "2020-01-01T00:00:00Z", copay: "free" });
    const again = legacyPatient(1, {
      insurances: [],
      deleted_insurances: [ended, pastInsurance(11), pastInsurance(12)],
    });
    const runId = await check([again]);
    await skipErrors(practice.id, runId);
    await convert(practice.id, runId);
    const row = await db.first<{ deleted_date: string | null }>(
      sql`SELECT deleted_date FROM patient_insurance WHERE practice_id = ${practice.id} AND external_id = 10`,
    );
    expect(row?.deleted_date).toBeNull();
    expect(await verify(practice.id, runId)).toMatchObject({ different: 0 });
  });
});

describe("companies", () => {
  const linked = (practice: number) =>
    db.rows<{ external_id: number; carrier: string | null }>(sql`
      SELECT i.external_id, c.carrier FROM patient_insurance i LEFT JOIN insurance_company c ON c.id = i.insurance_company
      WHERE i.practice_id = ${practice} AND i.deleted_date IS NULL ORDER BY 1`);

  test("are linked if their name equals the carrier, and the plan notes it", async () => {
    const fields = { insurance_company: null };
    const runId = await check([
      faulty(1, { ...fields, carrier: " HUMANA " }),
      faulty(2, { ...fields, carrier: "Humana Gold" }),
      faulty(3, { carrier: "Humana", insurance_company: 5001 }),
    ]);
    const plans = (await recordsOf(runId)).map(({ plan }) => plan?.insurances[0]?.notes ?? []);
    expect(plans).toEqual([["insurance_company: set to Humana, the payer that the carrier names."], [], []]);
    await convert(practice.id, runId);
    expect((await linked(practice.id)).map(({ carrier }) => carrier)).toEqual(["Humana", null, "Aetna"]);
    expect(await verify(practice.id, runId)).toMatchObject({ different: 0 });
  });

  test("are reported on each insurance with their ID if the ID has two names", async () => {
    const twice = writeLines("two-names.ndjson", [...COMPANIES, { id: 5000, carrier: "Harborlight" }]);
    const file = writeLines("patients-two-names.ndjson", [legacyPatient(1), faulty(2, { insurance_company: 5001 })]);
    const runId = await createCheckedRun(practice.id, file, { companies: twice });
    expect((await decisionsOf(runId)).map(({ number, code }) => [number, code])).toEqual(
      Array(3)
        .fill([1, "company_id_ambiguous"])
        .concat(Array(2).fill([2, "company_id_ambiguous"])),
    );
    const { code, stdout } = await runScript("crosswalk.mjs", ["check", file, "--companies", twice, "--json"]);
    const lines = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect([code, lines[0]]).toMatchObject([1, { patient: null, code: "company_id_ambiguous", line: 3, found: 5000 }]);
    expect(lines.slice(1).filter((line) => line.code === "company_id_ambiguous")).toHaveLength(5);
  });
});
