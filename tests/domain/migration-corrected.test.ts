// A corrected export: decisions on unchanged records stay, and the other records are checked again.
import { beforeAll, beforeEach, expect, test } from "vitest";
import { decideFindings } from "@/lib/migration/check/decide";
import { db, sql } from "@/lib/platform/db/sql";
import { type Basics, seedBasics, seedPhysician, seedPractice } from "../support/api";
import { COMPANIES, legacyInsurance, legacyPatient, writeLines } from "../support/legacy-export";
import { createCheckedRun, findingsOf, recordsOf, requestFor, seedMigratingPractice } from "../support/migration-runs";

let basics: Basics;
let practiceId: number;
let companies: string;
beforeAll(async () => {
  basics = await seedBasics();
  companies = writeLines("companies.ndjson", COMPANIES);
});
beforeEach(async () => {
  practiceId = await seedMigratingPractice(basics.organization);
});

const faulty = (n: number, fields: Record<string, unknown>) =>
  legacyPatient(n, { insurances: [legacyInsurance(10 * n, fields)] });
const check = (name: string, patients: readonly Record<string, unknown>[], follows?: number) =>
  createCheckedRun(practiceId, writeLines(name, patients), { companies, follows });
const decisionsOf = async (runId: number) =>
  (await findingsOf(runId)).map(({ patient, code, decision }) => `${patient} ${code} ${decision}`).sort();

test("keeps decisions with their reason and assignee if the record is unchanged", async () => {
  const [one, two, three] = [faulty(1, { copay: "$20" }), faulty(2, { rank: "4" }), faulty(3, { rank: "5" })];
  const first = await check("first.ndjson", [one, two, three]);
  const decide = (code: string, decision: Parameters<typeof decideFindings>[3]) =>
    decideFindings(requestFor(practiceId), first, { filter: { code } }, decision);
  await decide("decimal_invalid", { decide: "accept" });
  await decide("rank_unknown", { decide: "skip", reason: "Moved away" });
  await decide("rank_unknown", { decide: "assign", note: "Asked by letter", due_date: "2026-01-31" });

  const corrected = faulty(3, { rank: "secondary" });
  const second = await check("second.ndjson", [legacyPatient(9), corrected, one, two], first);
  expect(await decisionsOf(second)).toEqual(["1001 decimal_invalid accepted", "1002 rank_unknown skipped"]);
  expect(
    (await recordsOf(second)).map(({ external_id, verdict, blockers }) => [external_id, verdict, blockers]),
  ).toEqual([
    ["1009", "create", 0],
    ["1003", "create", 0],
    ["1001", "create", 0],
    ["1002", "refused", 0],
  ]);
  const [kept] = await db.rows(sql`SELECT reason, note, due_date FROM migration_finding
    WHERE run_id = ${second} AND decision = 'skipped'`);
  expect(kept).toEqual({ reason: "Moved away", note: "Asked by letter", due_date: "2026-01-31" });
  const followed = await db.first(sql`SELECT state, stopped_in FROM migration_run WHERE id = ${first}`);
  expect(followed).toEqual({ state: "cancelled", stopped_in: "checked" });
});

test("keeps no decision if the record has changed, even in another field", async () => {
  const before = faulty(1, { rank: "4" });
  const first = await check("first.ndjson", [before]);
  await decideFindings(requestFor(practiceId), first, { filter: {} }, { decide: "skip", reason: "Moved away" });
  const second = await check("second.ndjson", [{ ...before, middle_name: "Changed" }], first);
  expect(await decisionsOf(second)).toEqual(["1001 rank_unknown open"]);
});

test("must follow a run of the same practice", async () => {
  const first = await check("first.ndjson", [legacyPatient(1)]);
  practiceId = await seedPractice(basics.organization, "Another", true);
  await seedPhysician(practiceId);
  const rejected = check("second.ndjson", [legacyPatient(1)], first);
  await expect(rejected).rejects.toMatchObject({ fields: { follows: ["No such run in this practice."] } });
});
