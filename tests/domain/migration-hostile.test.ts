// For every hostile record, the checks predict what the conversion does and why.
import fs from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { checkFile } from "@/lib/migration/check/check-file";
import { decideFindings } from "@/lib/migration/check/decide";
import { describeCode, type Finding } from "@/lib/migration/findings/checks";
import { db, sql } from "@/lib/platform/db/sql";
import { fileSource } from "@/lib/platform/files/source";
import { seedBasics } from "../support/api";
import { type HostileRecord, hostileRecords } from "../support/hostile-records";
import { pngImage } from "../support/images";
import { COMPANIES, expectStoresEqual, legacyPatient, pastInsurance, writeLines } from "../support/legacy-export";
import {
  convert,
  createCheckedRun,
  recordsOf,
  requestFor,
  seedMigratingPractice,
  skipErrors,
  verify,
} from "../support/migration-runs";
import { runScript } from "../support/run-script";

const AS_OF = "2025-10-01";
let organization: number;
let records: HostileRecord[];
let file: string;
let companies: string;
let found: Map<number, Finding[]>;

beforeAll(async () => {
  ({ organization } = await seedBasics());
  const image = (await pngImage(1)).toString("base64");
  records = hostileRecords({ image });
  file = writeLines("hostile.ndjson", [...records.map(({ line }) => line), legacyPatient(900)]);
  companies = writeLines("companies.ndjson", COMPANIES);
  found = new Map();
  for await (const checked of checkFile({ source: await fileSource(file), companies: COMPANIES, asOf: AS_OF })) {
    if ("reason" in checked) throw new Error(`line ${checked.line}: ${checked.reason}`);
    found.set(checked.line, checked.findings);
  }
});

const errorsOn = (line: number) => (found.get(line) ?? []).filter(({ severity }) => severity === "error");
const refusedLines = () => [...found.keys()].filter((line) => errorsOn(line).length > 0);
/** Returns whether a record has errors only in past insurances, each of which can be skipped. */
const isPastOnly = (line: number) => errorsOn(line).every(({ list }) => list === "deleted_insurances");

test("all 148 records have one defect, which is reported by its code", () => {
  expect(records).toHaveLength(148);
  const wrong = records.flatMap(({ name, code }, at) => {
    const codes = errorsOn(at + 1).map((finding) => finding.code);
    return String(codes) === String(code === null ? [] : [code]) ? [] : [[name, codes, code]];
  });
  expect(wrong).toEqual([]);
  expect(errorsOn(records.length + 1)).toEqual([]);
});

test("each finding explains what it is, what was found where, and what to do", () => {
  for (const finding of [...found.values()].flat()) {
    const { title, advice } = describeCode(finding.code);
    expect([title !== finding.code, advice.endsWith(".")]).toEqual([true, true]);
    // A field in words, or the path of a nested one.
    expect(finding.message).toMatch(/^(?:[A-Z][^_:]* |[A-Za-z_][^: ]*: ).+\.$/);
  }
});

test("the command and the import agree, and the run converts the rest", async () => {
  const { code, stdout } = await runScript("crosswalk.mjs", [
    "check",
    file,
    "--companies",
    companies,
    "--as-of",
    AS_OF,
    "--json",
  ]);
  const lines = stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  expect(code).toBe(1);
  expect([...new Set(lines.filter(({ severity }) => severity === "error").map(({ line }) => line))]).toEqual(
    refusedLines(),
  );

  const practice = await seedMigratingPractice(organization);
  const runId = await createCheckedRun(practice, file, { companies, asOf: AS_OF });
  const checked = await recordsOf(runId);
  expect(checked.filter(({ verdict }) => verdict === "refused").map(({ number }) => number)).toEqual(refusedLines());
  const stored = await db.rows<{ number: number; code: string; list: string; position: number; fix: unknown }>(sql`
    SELECT number, code, list, position, fix FROM migration_finding WHERE run_id = ${runId} ORDER BY number, code`);
  const expected = [...found].flatMap(([number, findings]) =>
    findings.map((one) => ({ number, code: one.code, list: one.list, position: one.position, fix: one.fix })),
  );
  expect(stored).toEqual(expected.sort((a, b) => a.number - b.number || (a.code < b.code ? -1 : 1)));

  await skipErrors(practice, runId);
  await convert(practice, runId);
  const done = await recordsOf(runId);
  const wrong = done.filter(
    ({ number, state }) => state !== (errorsOn(number).length > 0 && !isPastOnly(number) ? "left_out" : "converted"),
  );
  expect(wrong.map(({ number, state }) => [records[number - 1]?.name, state])).toEqual([]);
  await expectStoresEqual(practice);
  expect(await verify(practice, runId)).toMatchObject({ different: 0 });
  // A skipped past insurance is absent; the patient's others are present.
  const kept = await db.rows<{ current: number; past: number }>(sql`
    SELECT count(*) FILTER (WHERE i.deleted_date IS NULL) AS current, count(*) FILTER (WHERE i.deleted_date IS NOT NULL) AS past
    FROM patient_insurance i JOIN patient p ON p.id = i.patient_id WHERE p.practice_id = ${practice}
    GROUP BY p.id`);
  const converted = done.filter(({ state }) => state === "converted");
  const full = converted.filter(({ number }) => errorsOn(number).length === 0).length;
  expect(kept.filter(({ past }) => past > 0).length).toBeGreaterThanOrEqual(full - 1);
  expect(kept.every(({ current }) => current === 1)).toBe(true);
});

test("a past insurance that ends beyond the calendar is archived on the day of the conversion, and the plan says so", async () => {
  const never = { end_date: "292278994-", deleted_date: "292278994-T09:00:00Z" };
  const patient = legacyPatient(1, { deleted_insurances: [pastInsurance(11, never)] });
  const practice = await seedMigratingPractice(organization);
  const runId = await createCheckedRun(practice, writeLines("never.ndjson", [patient]), { companies, asOf: AS_OF });
  const [record] = await recordsOf(runId);
  expect(record?.plan?.insurances[1]?.notes).toEqual([
    "end_date: unknown in the export. The policy is archived on the day of the conversion.",
  ]);
  await convert(practice, runId);
  const row = await db.first<{ end_date: string | null; deleted_date: string }>(sql`
    SELECT end_date, deleted_date FROM patient_insurance WHERE practice_id = ${practice} AND external_id = 11`);
  expect(row?.end_date).toBeNull();
  expect(Date.now() - Date.parse(row?.deleted_date ?? "")).toBeLessThan(86_400_000);
  expect(await verify(practice, runId)).toMatchObject({ different: 0 });
});

describe("a proposed fix", () => {
  test("makes the record convertible, or reveals another defect", async () => {
    const practice = await seedMigratingPractice(organization);
    const runId = await createCheckedRun(practice, file, { companies, asOf: AS_OF });
    const fixable = [...found].filter(([, findings]) =>
      findings.some(({ severity, fix }) => severity === "error" && fix),
    );
    expect(fixable.length).toBeGreaterThan(30);
    await decideFindings(
      requestFor(practice),
      runId,
      { filter: { fix: true, decision: "open" } },
      { decide: "accept" },
    );
    const after = await recordsOf(runId);
    const left = fixable
      .filter(([line]) => after[line - 1]?.verdict === "refused")
      .map(([line]) => records[line - 1]?.name);
    expect(left).toEqual([]);
    await skipErrors(practice, runId);
    await convert(practice, runId);
    expect(await verify(practice, runId)).toMatchObject({ different: 0 });
    await expectStoresEqual(practice);
  });

  test("turns a number into text and male into Male, and removes NUL from text", () => {
    const fixes = records.flatMap(({ name }, at) => {
      const [fix] = errorsOn(at + 1).flatMap((finding) => finding.fix ?? []);
      return fix ? [[name, Object.values(fix.values)[0]]] : [];
    });
    expect(Object.fromEntries(fixes)).toMatchObject({
      "patient sex: lower case": "Male",
      "patient sex: null": "Unknown",
      "current insurance member_id: a number": "12345",
      "past insurance zip: a number": "02134",
      "current insurance member_id: NUL": "nul  within",
      "current insurance insurance_company: digits as text": 5000,
      "past insurance payment_program: lower case": "Medicaid",
      "past insurance deductible: a currency": "1000.00",
      "patient middle_name: null": "",
    });
    expect(fixes.map(([name]) => name)).not.toContain("current insurance member_id: a number over 2^53");
    expect(fs.existsSync(file)).toBe(true);
  });
});
