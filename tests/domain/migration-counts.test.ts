// The stored counts of a run: decisions change them by the difference, and they always equal a full count.
import { afterEach, expect, test } from "vitest";
import { cancelRun } from "@/lib/migration/runs/migration-run";
import { countRun, getRunTotals, listFindingGroups, type RunCounts } from "@/lib/migration/runs/run-counts";
import type { RunGroups } from "@/lib/migration/runs/schema";
import { setClock } from "@/lib/platform/clock";
import { db, json, sql } from "@/lib/platform/db/sql";
import { legacyInsurance, legacyPatient, pastInsurance } from "../support/legacy-export";
import { decisionsOf, seedMigratingPracticeBeforeEach } from "../support/migrating-practice";
import { convert, requestFor, rollBack, verify } from "../support/migration-runs";
import { asOwner } from "../support/owner";

type Fields = Record<string, unknown>;

const practice = seedMigratingPracticeBeforeEach();
const { check, decide, startConverting } = practice;
afterEach(() => setClock());

const faulty = (n: number, fields: Fields) => legacyPatient(n, { insurances: [legacyInsurance(10 * n, fields)] });

/** Patients with different faults: fixable, not fixable, several, in a past insurance, and none. */
const PATIENTS = [
  faulty(1, { copay: "$20" }),
  faulty(2, { copay: "$20", rank: "1st", start_date: "2021-1-5", end_date: "2020-06-30" }),
  faulty(3, { member_id: null }),
  faulty(4, { rank: "prime" }),
  legacyPatient(5, { deleted_insurances: [pastInsurance(51, { copay: "free" }), pastInsurance(52)] }),
  legacyPatient(6),
  legacyPatient(7),
];

const idsOf = async (runId: number, codes: readonly string[]) =>
  (await decisionsOf(runId)).filter(({ code }) => codes.includes(code)).map(({ id }) => id);

async function storedCounts(runId: number): Promise<RunGroups | null> {
  const row = await db.one<{ counts: RunGroups | null }>(sql`SELECT counts FROM migration_run WHERE id = ${runId}`);
  return row.counts;
}

/** Expects that the counts and the readiness of the day equal a full count, and returns them. */
async function expectExact(runId: number, day = new Date().toISOString().slice(0, 10)) {
  const counts = { totals: await getRunTotals(runId), groups: await listFindingGroups(runId) };
  expect(await storedCounts(runId)).not.toBeNull();
  expect(await countRun(runId)).toEqual(counts);
  const days = await db.rows(sql`
    SELECT run_id, verified, convertible, person, refused FROM migration_day
    WHERE practice_id = ${practice.id} AND day = ${day}`);
  expect(days).toEqual([{ run_id: runId, ...counts.totals.readiness }]);
  return counts;
}

test("are exact after each decision and each kind of work", async () => {
  const runId = await check(PATIENTS);
  const checked = await expectExact(runId);
  const fixable = await idsOf(runId, ["decimal_invalid", "date_invalid", "rank_unknown"]);
  await decide(runId, { ids: fixable }, { decide: "accept" });
  const accepted = await expectExact(runId);
  expect(accepted.totals.readiness.person).toBeLessThan(checked.totals.readiness.person);
  await decide(runId, { filter: { severity: "error", decision: "open" } }, { decide: "skip", reason: "Unknown" });
  const skipped = await expectExact(runId);
  expect(skipped.totals).toMatchObject({ blocked: { records: 0, findings: 0 } });
  await decide(runId, { filter: { decision: "skipped" } }, { decide: "reopen" });
  expect(await expectExact(runId)).toEqual(accepted);
  await decide(runId, { filter: {} }, { decide: "reopen" });
  expect(await expectExact(runId)).toEqual(checked);
  await decide(runId, { filter: { severity: "error" } }, { decide: "skip", reason: "Unknown" });
  await convert(practice.id, runId);
  await expectExact(runId);
  await decide(runId, { filter: { decision: "skipped" } }, { decide: "reopen" });
  await expectExact(runId);
  await verify(practice.id, runId);
  expect((await expectExact(runId)).totals.readiness.verified).toBe(4);
  await rollBack(practice.id, runId);
  expect((await expectExact(runId)).totals.states).toMatchObject({ rolled_back: 4 });
});

test("are exact if members decide at the same time", async () => {
  const runId = await check(PATIENTS);
  const ids = await idsOf(runId, ["decimal_invalid", "rank_unknown", "member_id_missing"]);
  const skip = { decide: "skip", reason: "Unknown" } as const;
  await Promise.all(
    ids.flatMap((id) => [skip, { decide: "accept" } as const].map((one) => decide(runId, { ids: [id] }, one))),
  );
  await expectExact(runId);
});

test("are exact on another day, and after another run of the practice", async () => {
  const runId = await check(PATIENTS);
  const other = await check(PATIENTS.slice(2));
  await expectExact(other);
  const [first, second] = await idsOf(runId, ["member_id_missing", "rank_unknown"]);
  await decide(runId, { ids: [first as number] }, { decide: "skip", reason: "Unknown" });
  await expectExact(runId);
  const tomorrow = new Date(Date.now() + 86_400_000);
  setClock({ now: () => tomorrow });
  await decide(runId, { ids: [second as number] }, { decide: "skip", reason: "Unknown" });
  await expectExact(runId, tomorrow.toISOString().slice(0, 10));
  setClock();
  await decide(runId, { ids: [first as number] }, { decide: "reopen" });
  await expectExact(runId);
});

test("count only the records that a decision is about", async () => {
  const runId = await check(PATIENTS);
  const counts = await storedCounts(runId);
  const records = counts?.records.map((group) =>
    group.verdict === "create" ? { ...group, records: group.records + 1000 } : group,
  );
  await db.run(sql`UPDATE migration_run SET counts = ${json({ ...counts, records })} WHERE id = ${runId}`);
  const before = await getRunTotals(runId);
  await decide(runId, { ids: await idsOf(runId, ["rank_unknown"]) }, { decide: "skip", reason: "Unknown" });
  const after = (await countRun(runId)).totals;
  expect(after.patients.create).toBe(before.patients.create + 1000);
  expect(after.left_out).toBe(before.left_out + 2);
});

test("are counted in full if they are missing", async () => {
  const runId = await check(PATIENTS);
  await db.run(sql`UPDATE migration_run SET counts = NULL WHERE id = ${runId}`);
  expect(await countRun(runId)).toEqual({ totals: await getRunTotals(runId), groups: await listFindingGroups(runId) });
  await expect(startConverting(runId)).rejects.toMatchObject({ reason: "blockers_remain" });
  await decide(runId, { ids: await idsOf(runId, ["rank_unknown"]) }, { decide: "skip", reason: "Unknown" });
  await expectExact(runId);
});

test("are not stored while records change", async () => {
  const runId = await check([legacyPatient(1)]);
  await startConverting(runId);
  expect(await storedCounts(runId)).toBeNull();
  await cancelRun(requestFor(practice.id), runId);
  expect(await storedCounts(runId)).toBeNull();
  expect((await countRun(runId)).totals.states).toEqual({ checked: 1 });
});

test("of a run at work are shown nine times as long as counting took, and are exact once it is done", async () => {
  const runId = await check(PATIENTS.slice(5));
  await startConverting(runId);
  let now = Date.now();
  setClock({ now: () => new Date(now) });
  let counting: Promise<RunCounts> | undefined;
  await asOwner(async (tx) => {
    await tx.run(sql`LOCK TABLE migration_record`);
    counting = countRun(runId);
    await expect
      .poll(() => tx.rows(sql`SELECT FROM pg_locks WHERE relation = 'migration_record'::regclass AND NOT granted`))
      .toHaveLength(1);
    now += 1_000;
  });
  const shown = await counting;
  await db.run(sql`UPDATE migration_run SET changed_date = changed_date + interval '1 second' WHERE id = ${runId}`);
  now += 8_999;
  expect(await countRun(runId)).toBe(shown);
  now += 1;
  const later = await countRun(runId);
  expect(later).not.toBe(shown);
  await cancelRun(requestFor(practice.id), runId);
  expect(await countRun(runId)).not.toBe(later);
});
