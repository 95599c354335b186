// The check of a migration run predicts the conversion.
import fs from "node:fs";
import { beforeEach, describe, expect, test } from "vitest";
import { CHECKS } from "@/lib/migration/findings/checks";
import { db, sql } from "@/lib/platform/db/sql";
import { type Basics, seedBasics } from "../support/api";
import {
  COMPANIES,
  expectStoresEqual,
  findSampleExport,
  legacyInsurance,
  legacyPatient,
  writeLines,
} from "../support/legacy-export";
import {
  acceptFixes,
  convert,
  createCheckedRun,
  findingsOf,
  recordsOf,
  rollBack,
  seedMigratingPractice,
  skipErrors,
  verify,
} from "../support/migration-runs";
import { snapshot } from "../support/snapshot";

let basics: Basics;
let practiceId: number;

beforeEach(async () => {
  basics ??= await seedBasics();
  practiceId = await seedMigratingPractice(basics.organization);
});

/** Reads every table except those of the runs. */
async function readOtherTables(): Promise<Record<string, string>> {
  const tables = Object.entries(await snapshot()).filter(([name]) => !name.startsWith("migration_"));
  return Object.fromEntries(tables);
}

/** Expects the database after the conversion to match what the check predicted for each insurance. */
async function expectAsPlanned(runId: number): Promise<void> {
  const rows = await db.rows<{ patient: string; external_id: number; current: boolean }>(sql`
    SELECT p.external_id AS patient, i.external_id, i.deleted_date IS NULL AS current
    FROM patient_insurance i JOIN patient p ON p.id = i.patient_id WHERE i.practice_id = ${practiceId}`);
  const stored = new Map(rows.map((row) => [`${row.patient} ${row.external_id}`, row.current]));
  const records = await recordsOf(runId);
  for (const { external_id, verdict, plan, state, patient_id } of records) {
    expect([external_id, verdict === "refused" ? "left_out" : "converted"]).toEqual([external_id, state]);
    expect(patient_id === null).toBe(verdict === "refused");
    for (const insurance of plan?.insurances ?? []) {
      const key = `${external_id} ${insurance.id}`;
      expect([key, stored.get(key)]).toEqual([key, insurance.verdict !== "archive" && insurance.list === "insurances"]);
      stored.delete(key);
    }
  }
  expect([...stored.keys()], "nothing but what was planned").toEqual([]);
}

describe.each(["legacy-patients", "legacy-patients-damaged"] as const)("the sample export %s", (name) => {
  const sample = findSampleExport(name);

  test.skipIf(!sample.found)("is converted as the check predicted, verified, and rolled back", async () => {
    const before = await readOtherTables();
    const runId = await createCheckedRun(practiceId, sample.file, { companies: sample.companies });
    expect(await readOtherTables(), "a check writes nothing").toEqual(before);

    const key = (finding: { patient: string | number; insurance: string | number | null; code: string }) =>
      `${finding.patient} ${finding.insurance} ${finding.code}`;
    const listed = fs
      .readFileSync(sample.file.replace(/ndjson$/, "findings.ndjson"), "utf8")
      .split("\n")
      .filter(Boolean);
    // A run also rejects what this system can't store, which the checks do not know.
    const found = (await findingsOf(runId)).filter(({ code }) => code in CHECKS);
    expect(found.map(key).sort()).toEqual(listed.map((line) => key(JSON.parse(line))).sort());

    await acceptFixes(practiceId, runId);
    await skipErrors(practiceId, runId);
    await convert(practiceId, runId);
    await expectAsPlanned(runId);
    await expectStoresEqual(practiceId);
    const verification = await verify(practiceId, runId);
    const records = await recordsOf(runId);
    expect(records.flatMap(({ differences }) => differences ?? [])).toEqual([]);
    expect(verification).toMatchObject({ different: 0, changed_since: 0 });

    await rollBack(practiceId, runId);
    const after = await readOtherTables();
    const kept = ["insurance_company", "record_version", "published_event"];
    for (const table of Object.keys(before).filter((one) => !kept.includes(one))) {
      expect([table, after[table]]).toEqual([table, before[table]]);
    }
  });
});

test("no line stops a run: a record that can't be stored, found or read is rejected by itself", async () => {
  const odd = (n: number, fields: object) => JSON.stringify(legacyPatient(n, { ...fields, insurances: [] }));
  const huge = (n: number, field: string) =>
    JSON.stringify(legacyPatient(n, { insurances: [legacyInsurance(10 * n, { [field]: "huge" })] })).replace(
      '"huge"',
      "1e400",
    );
  const deep = JSON.stringify(legacyPatient(9, { tags: "deep" })).replace(
    '"deep"',
    "[".repeat(9_000) + "]".repeat(9_000),
  );
  const lines = [
    odd(1, { id: "nul\u0000id" }),
    odd(2, { "nul\u0000key": 1 }),
    odd(3, { notes: { "half\ud83d": "nul\u0000" } }),
    odd(4, { id: Array.from({ length: 6_000 }, (_, at) => String.fromCharCode(33 + ((at * at * 7) % 90))).join("") }),
    odd(5, { deleted_insurances: [{ id: `9${"\u0000".repeat(3)}` }] }),
    huge(7, "copay"),
    huge(8, "insurance_company"),
    deep,
    JSON.stringify(legacyPatient(10)),
  ];
  const runId = await createCheckedRun(practiceId, writeLines("odd.ndjson", lines), {
    companies: writeLines("companies.ndjson", COMPANIES),
  });
  const codes = (await findingsOf(runId)).map(({ code }) => code);
  expect(codes).toEqual([
    "patient_id_invalid",
    "text_expected",
    "patient_id_invalid",
    "insurance_id_invalid",
    "past_rank_invalid",
    "decimal_invalid",
    "company_id_invalid",
    "line_unreadable",
  ]);
  await skipErrors(practiceId, runId);
  await convert(practiceId, runId);
  const converted = (await recordsOf(runId)).filter(({ state }) => state === "converted").map(({ number }) => number);
  // An unknown key is not a fault, and an invalid past insurance is skipped by itself.
  expect(converted).toEqual([2, 5, 9]);
});
