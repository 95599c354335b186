// Between check and conversion: what people decide on findings, and what it does to the records.
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { db, sql } from "@/lib/db/sql";
import { startConversion } from "@/lib/migration/commands/convert-run";
import { type DecisionInput, decideFindings, type FindingChoice } from "@/lib/migration/commands/decide";
import { getRunTotals } from "@/lib/migration/review-queries";
import { type Basics, seedBasics } from "../support/api";
import { COMPANIES, countStores, legacyInsurance, legacyPatient, writeLines } from "../support/legacy-export";
import {
  checkedRun,
  convert,
  migratingPractice,
  recordsOf,
  requestFor,
  skipErrors,
  verify,
} from "../support/migration-runs";
import { signInAs } from "../support/staff";

type Fields = Record<string, unknown>;

let basics: Basics;
let practiceId: number;
let companies: string;
beforeAll(async () => {
  basics = await seedBasics();
  companies = writeLines("companies.ndjson", COMPANIES);
});
beforeEach(async () => {
  practiceId = await newPractice();
});

const newPractice = () => migratingPractice(basics.organisation);

const check = (patients: readonly Fields[], practice = practiceId) =>
  checkedRun(practice, writeLines(`patients-${practice}.ndjson`, patients), { companies });
const decide = (runId: number, choice: FindingChoice, input: DecisionInput) =>
  decideFindings(requestFor(practiceId), runId, choice, input);
const ready = (runId: number) => startConversion(requestFor(practiceId), runId);

/** Patient n, its one current insurance with these fields. */
const faulty = (n: number, fields: Fields) => legacyPatient(n, { insurances: [legacyInsurance(10 * n, fields)] });

interface Found {
  id: number;
  number: number;
  code: string;
  decision: string;
  reason: string | null;
  owner_id: number | null;
  due_date: string | null;
  note: string | null;
  decided_by: { name: string } | null;
}
const found = (runId: number) =>
  db.rows<Found>(sql`SELECT id, number, code, decision, reason, owner_id, due_date, note, decided_by FROM migration_finding
    WHERE run_id = ${runId} ORDER BY number, id`);
const idsOf = async (runId: number, code: string) =>
  (await found(runId)).filter((one) => one.code === code).map(({ id }) => id);
const statesOf = async (runId: number) =>
  (await recordsOf(runId)).map(({ verdict, state, blockers }) => `${verdict} ${state} ${blockers}`);

describe("a fix", () => {
  test("that is accepted is made, and the record checked again: its verdict and the counts are right at once", async () => {
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
    expect(await found(runId)).toMatchObject([
      { code: "decimal_invalid", decision: "accepted", decided_by: requestFor(practiceId).origin.actor },
      { code: "rank_unknown", decision: "open", decided_by: null },
    ]);
  });

  test("is accepted in bulk by a filter; findings without one are passed over, and so is what was decided", async () => {
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
    await skipErrors(practiceId, runId);
    await convert(practiceId, runId);
    const rows = await db.rows(sql`
      SELECT i.external_id, p.rank, p.copay, p.start_date, p.relationship_to_insured FROM policy p
      JOIN patient_insurance i ON i.policy_id = p.id WHERE p.practice_id = ${practiceId} AND p.status = 'active' ORDER BY 1`);
    expect(rows).toEqual([
      { external_id: 10, rank: 1, copay: "20.00", start_date: "2015-01-01", relationship_to_insured: null },
      { external_id: 30, rank: 1, copay: "20.00", start_date: "2015-01-01", relationship_to_insured: null },
    ]);
    expect(await verify(practiceId, runId)).toMatchObject({ records: 2, different: 0 });
  });

  test("that does not mend leaves the finding open, and the record as it was", async () => {
    const runId = await check([faulty(1, { copay: "$20" })]);
    const ids = await idsOf(runId, "decimal_invalid");
    await db.run(
      sql`UPDATE migration_finding SET fix = '{"values": {"copay": "€20"}, "why": "-"}' WHERE run_id = ${runId}`,
    );
    await decide(runId, { ids }, { decide: "accept" });
    expect((await found(runId)).map(({ decision }) => decision)).toEqual(["accepted", "open"]);
    expect(await statesOf(runId)).toEqual(["refused checked 1"]);
    await expect(ready(runId)).rejects.toThrow("1 records can't be converted for 1 errors");
    // Taken back, there is one finding again, and not two of the same.
    await decide(runId, { ids }, { decide: "reopen" });
    expect((await found(runId)).map(({ code, decision }) => [code, decision])).toEqual([["decimal_invalid", "open"]]);
  });

  test("that is taken back is undone: the record is refused as before", async () => {
    const runId = await check([faulty(1, { rank: "1st" })]);
    const ids = await idsOf(runId, "rank_unknown");
    await decide(runId, { ids }, { decide: "accept" });
    expect(await statesOf(runId)).toEqual(["create checked 0"]);
    expect(await decide(runId, { ids }, { decide: "reopen" })).toEqual({ decided: 1, passed_over: 0 });
    expect(await statesOf(runId)).toEqual(["refused checked 1"]);
    expect(await found(runId)).toMatchObject([{ decision: "open", decided_by: null }]);
  });
});

describe("a record with an error", () => {
  test("is left out for a reason, and for none without; a warning that is skipped leaves nothing out", async () => {
    const runId = await check([faulty(1, { copay: "a lot", rank: "fourth" }), faulty(2, { member_id: "" })]);
    await expect(ready(runId)).rejects.toMatchObject({
      code: "business_rule",
      reason: "blockers_remain",
      message: expect.stringContaining("1 records can't be converted for 2 errors"),
    });
    const [ids, warnings] = [await idsOf(runId, "decimal_invalid"), await idsOf(runId, "member_id_missing")];
    await expect(decide(runId, { ids }, { decide: "skip", reason: "  " })).rejects.toThrow();
    expect(await statesOf(runId)).toEqual(["refused checked 2", "create checked 0"]);
    await decide(runId, { ids: [...ids, ...warnings] }, { decide: "skip", reason: " Moved away " });
    expect(await statesOf(runId)).toEqual(["refused checked 0", "create checked 0"]);
    expect(await found(runId)).toMatchObject([
      { code: "rank_unknown", decision: "open", reason: null },
      { code: "decimal_invalid", decision: "skipped", reason: "Moved away" },
      { code: "member_id_missing", decision: "skipped", reason: "Moved away" },
    ]);
    expect((await getRunTotals(runId)).readiness).toEqual({ verified: 0, convertible: 1, person: 0, refused: 1 });

    await decide(runId, { ids }, { decide: "reopen" });
    await expect(ready(runId)).rejects.toThrow("1 records can't be converted for 2 errors");
    await decide(runId, { ids }, { decide: "skip", reason: "Moved away" });
    await convert(practiceId, runId);
    expect(await statesOf(runId)).toEqual(["refused left_out 0", "create converted 0"]);
    expect(await countStores(practiceId)).toMatchObject({ patients: 1, active: 1 });
  });

  test("takes decisions after it was left out; one that was converted takes none", async () => {
    const runId = await check([faulty(1, { copay: "$20" }), faulty(2, { member_id: "" })]);
    await skipErrors(practiceId, runId);
    await convert(practiceId, runId);
    const [warning] = await idsOf(runId, "member_id_missing");
    expect(await decide(runId, { ids: [warning as number] }, { decide: "skip", reason: "Known" })).toEqual({
      decided: 0,
      passed_over: 1,
    });
    const ids = await idsOf(runId, "decimal_invalid");
    expect(await decide(runId, { ids }, { decide: "accept" })).toEqual({ decided: 1, passed_over: 0 });
    expect(await statesOf(runId)).toEqual(["create checked 0", "create converted 0"]);
    await convert(practiceId, runId);
    expect(await statesOf(runId)).toEqual(["create converted 0", "create converted 0"]);
    expect(await verify(practiceId, runId)).toMatchObject({ records: 2, different: 0 });
    expect(await statesOf(runId)).toEqual(["create verified 0", "create verified 0"]);
  });

  test("is given to somebody, with a day and a note; what is not sent stays", async () => {
    const runId = await check([faulty(1, { copay: "$20" }), faulty(2, { copay: "$30" })]);
    const { userId } = await signInAs("admin", [practiceId]);
    const all = { filter: { code: "decimal_invalid" } } as const;
    const given = { decide: "assign", owner_id: userId, due_date: "2026-03-01", note: "Ask them" } as const;
    expect(await decide(runId, all, given)).toEqual({ decided: 2, passed_over: 0 });
    const [first] = await idsOf(runId, "decimal_invalid");
    await decide(runId, { ids: [first as number] }, { decide: "assign", note: null });
    expect(await found(runId)).toMatchObject([
      { owner_id: userId, due_date: "2026-03-01", note: null, decision: "open" },
      { owner_id: userId, due_date: "2026-03-01", note: "Ask them", decision: "open" },
    ]);
    await decide(runId, { filter: { owner: userId } }, { decide: "assign", owner_id: null });
    expect((await found(runId)).map(({ owner_id, due_date }) => [owner_id, due_date])).toEqual([
      [null, "2026-03-01"],
      [null, "2026-03-01"],
    ]);
    expect(await statesOf(runId)).toEqual(["refused checked 1", "refused checked 1"]);
    const stranger = await signInAs("admin", [await newPractice()]);
    await expect(decide(runId, all, { decide: "assign", owner_id: stranger.userId })).rejects.toThrow();
    expect((await found(runId)).map(({ owner_id }) => owner_id)).toEqual([null, null]);
  });

  test("is none of another practice's business", async () => {
    const runId = await check([faulty(1, { copay: "$20" })]);
    const stranger = requestFor(await newPractice());
    const ids = await idsOf(runId, "decimal_invalid");
    await expect(decideFindings(stranger, runId, { ids }, { decide: "accept" })).rejects.toMatchObject({
      code: "not_found",
    });
    const other = await check([faulty(1, { copay: "$20" })]);
    expect(await decide(other, { ids }, { decide: "accept" })).toEqual({ decided: 0, passed_over: 0 });
    expect(await statesOf(runId)).toEqual(["refused checked 1"]);
  });
});
