// `npx crosswalk convert | verify | rollback | report` as users see it: options, exit codes, output.
import fs from "node:fs";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
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
import {
  COMPANIES,
  countStores,
  expectStoresEqual,
  legacyInsurance,
  legacyPatient,
  writeLines,
} from "../support/legacy-export";
import { seedMigratingPractice } from "../support/migration-runs";
import { runScript, type ScriptResult } from "../support/run-script";

let basics: Basics;
let companies: string;
let good: string;
let practice: number;

beforeAll(async () => {
  basics = await seedBasics();
  companies = writeLines("companies.ndjson", COMPANIES);
  good = writeLines("good.ndjson", [legacyPatient(1), legacyPatient(2)]);
});
beforeEach(async () => {
  practice = await seedMigratingPractice(basics.organization);
});

const run = (command: string, ...args: string[]) => runScript(`crosswalk-${command}.ts`, args);
const convert = (file: string, ...args: string[]) =>
  run("convert", file, "--practice", String(practice), "--companies", companies, "--as-of", "2025-10-01", ...args);

/** Builds one record that converts, one whose error has a fix, and one that needs a corrected export. */
const mixed = () =>
  writeLines("mixed.ndjson", [
    legacyPatient(1),
    legacyPatient(2, { insurances: [legacyInsurance(20, { copay: "$20" })] }),
    legacyPatient(3, { dob: "?" }),
  ]);

const linesOf = ({ stdout }: ScriptResult): Record<string, unknown>[] =>
  stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
const eventOf = (result: ScriptResult, event: string) => linesOf(result).find((line) => line.event === event);

async function lastRun() {
  const row = await db.first<{ id: number; state: string }>(
    sql`SELECT id, state FROM migration_run WHERE practice_id = ${practice} ORDER BY id DESC LIMIT 1`,
  );
  return row as { id: number; state: string };
}

const countRuns = async () =>
  (await db.first<{ runs: number }>(sql`SELECT count(*) AS runs FROM migration_run WHERE practice_id = ${practice}`))
    ?.runs;

describe("errors are one line that names the cause, with exit code 2:", () => {
  const cases: [command: string, args: () => string[], message: string][] = [
    ["convert", () => ["--practice", "1"], "FILE is required"],
    [
      "convert",
      () => ["nowhere.ndjson", "--practice", "1"],
      "FILE nowhere.ndjson can't be read: the file does not exist",
    ],
    ["convert", () => [good], "--practice is required"],
    ["convert", () => [good, "--practice", "x1"], "--practice must be an ID"],
    ["convert", () => [good, "--practice", "999999"], "--practice 999999: No such practice."],
    ["convert", () => [good, "--practice", "1", "--as-of", "2025-02-30"], "--as-of must be a date"],
    ["convert", () => [good, "--practice", "1", "--companies", "no"], "--companies no can't be read"],
    ["convert", () => [good, "--practice", "1", "--companies", good], "Line 1: carrier"],
    ["convert", () => [good, "--practice", "1", "--columns", good], "must contain a JSON object that maps headings"],
    ["convert", () => [good, "--practice", "1", "--leave-out", " "], "--leave-out requires a reason"],
    ["convert", () => [good, good, "--practice", "1"], "is an unexpected argument"],
    ["convert", () => [good, "--own", "--practice", "1"], "FILE can't be combined with --own"],
    [
      "convert",
      () => ["--own", "--practice", "1", "--companies", companies],
      "--companies can't be combined with --own",
    ],
    ["convert", () => [good, "--quick"], "Unknown option '--quick'"],
    ["verify", () => [], "RUN is required"],
    ["verify", () => ["x"], "RUN must be an ID"],
    ["verify", () => ["999999"], "RUN 999999: No such migration run."],
    ["rollback", () => ["1"], "--reason is required"],
    ["rollback", () => ["1", "--reason", " "], "--reason is required"],
    ["rollback", () => ["999999", "--reason", "a test"], "RUN 999999: No such migration run."],
    ["report", () => ["--practice", "1", "--run", "1"], "--practice and --run can't be combined"],
    ["report", () => ["--csv", "--json"], "--csv and --json can't be combined"],
    ["report", () => ["--run", "999999"], "--run 999999: No such migration run."],
    ["report", () => ["--practice", "999999"], "--practice 999999: No such practice."],
  ];
  test.concurrent.each(cases.map(([command, args, message]) => [command, message, args] as const))(
    "%s: %s",
    async (command, message, args) => {
      const { code, stdout, stderr } = await run(
        command,
        ...args().map((word) => (word === "1" ? String(basics.enabled) : word)),
      );
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).toContain(message);
      expect(stderr.trim().split("\n")).toHaveLength(1);
    },
  );

  test("a practice without a physician and a practice without a run are rejected", async () => {
    const bare = await seedPractice(basics.organization, "Bare", true);
    const converted = await run("convert", good, "--practice", String(bare));
    expect([converted.code, converted.stdout]).toEqual([2, ""]);
    expect(converted.stderr).toBe(
      "✗ The practice has no physician, and every patient needs one. Add a physician first.\n",
    );
    const report = await run("report", "--practice", String(bare));
    expect([report.code, report.stdout]).toEqual([2, ""]);
    expect(report.stderr).toBe(`✗ --practice ${bare}: this practice has no checked run.\n`);
  });
});

test("a valid file is converted, verified, reported and rolled back, each with exit code 0 and without a progress bar", async () => {
  const converted = await convert(good);
  const { id } = await lastRun();
  expect(converted).toMatchObject({ code: 0, stderr: "" });
  expect(converted.stdout.split("\n")).toEqual([
    `Run ${id}: good.ndjson for practice ${practice}, as of 2025-10-01.`,
    "Checked: 2 records",
    "  patients: 2 = 2 create + 0 update + 0 unchanged + 0 archive + 0 refused",
    "  insurances: 6 = 2 create + 0 update + 0 unchanged + 4 archive + 0 refused",
    "Converted: 2 records; 0 skipped.",
    `Next: npx crosswalk verify ${id}`,
    "",
  ]);
  expect(await countStores(practice)).toMatchObject({ patients: 2, active: 2, archived: 4 });
  await expectStoresEqual(practice);

  const unverified = await run("report", "--run", String(id));
  expect(unverified.code).toBe(0);
  expect(unverified.stdout).toContain("0% of 2 records ready: 0 converted and verified + 2 convertible");

  const verified = await run("verify", String(id));
  expect(verified).toMatchObject({ code: 0, stderr: "" });
  const [counts, result, kept, ...more] = verified.stdout.split("\n");
  expect([counts, result]).toEqual(["Verified: 2 records with 6 policies, 0 of 0 images read.", "No differences."]);
  const until = /kept until \d{4}-\d\d-\d\d \(MIGRATION_RETENTION_DAYS=90\)/;
  expect([kept, more]).toEqual([expect.stringMatching(until), [""]]);
  expect(kept).toContain("The run can be rolled back until then");

  const report = await run("report", "--practice", String(practice));
  expect(report).toMatchObject({ code: 0, stderr: "" });
  expect(report.stdout).toContain(
    "100% of 2 records ready: 2 converted and verified + 0 convertible + 0 need staff + 0 skipped",
  );

  const back = await run("rollback", String(id), "--reason", "a rehearsal");
  expect(back).toMatchObject({ code: 0, stderr: "" });
  expect(back.stdout.split("\n")).toEqual([
    "Rolled back: 2 records.",
    "Companies: 2 removed, 0 restored.",
    expect.stringMatching(until),
    "Webhook events are kept for 30 days. The audit, verdicts and decisions are kept.",
    "",
  ]);
  expect(await countStores(practice)).toMatchObject({ patients: 0, active: 0, archived: 0 });

  const again = await run("rollback", String(id), "--reason", "a rehearsal");
  expect(again).toMatchObject({ code: 2, stdout: "" });
  expect(again.stderr).toBe(`✗ Run ${id} can't be rolled back: it was rolled back.\n`);
  const verifiedAgain = await run("verify", String(id));
  expect(verifiedAgain.stderr).toBe(`✗ Run ${id} can't be verified: it was rolled back.\n`);
});

test("a file with errors stops after the check with exit code 1 and says how to continue; the same command resumes", async () => {
  const file = mixed();
  const blocked = await convert(file);
  const { id, state } = await lastRun();
  expect([blocked.code, blocked.stderr, state]).toEqual([1, "", "checked"]);
  expect(blocked.stdout).toContain("error patient_dob_invalid: Date of birth is invalid or in the future (1).");
  expect(blocked.stdout).toContain("error decimal_invalid: Invalid amount (1, 1 with a proposed fix).");
  expect(blocked.stdout).toContain(`Nothing was converted: run ${id} has 2 unresolved errors in 2 records.`);
  expect(await countStores(practice)).toMatchObject({ patients: 0 });

  const fixed = await convert(file, "--accept-fixes");
  expect(fixed.code).toBe(1);
  expect(fixed.stdout).toContain(
    `Run ${id} of this file continues: it is checked as of 2025-10-01 and waits for decisions.`,
  );
  expect(fixed.stdout).toContain("Accepted 1 proposed fix.");
  expect(fixed.stdout).toContain(`run ${id} has 1 unresolved error in 1 record.`);

  const done = await convert(file, "--leave-out", "entered by hand");
  expect(done.code).toBe(0);
  expect(done.stdout).toContain("Skipped 1 record.");
  expect(done.stdout).toContain("Converted: 2 records; 1 skipped.");
  expect([await countRuns(), (await lastRun()).state]).toEqual([1, "converted"]);
  const { amounts } = (await db.first<{ amounts: string[] }>(sql`
    SELECT array_agg(copay::text) AS amounts FROM policy WHERE practice_id = ${practice} AND status = 'active'`)) ?? {
    amounts: [],
  };
  expect(amounts).toEqual(["20.00", "20.00"]);

  await run("verify", String(id));
  const report = await run("report", "--run", String(id));
  expect(report.code).toBe(0);
  expect(report.stdout).toContain(
    "66% of 3 records ready: 2 converted and verified + 0 convertible + 0 need staff + 1 skipped",
  );
  expect(report.stdout).toContain("  line 3, patient 1003: skipped: patient_dob_invalid, entered by hand");
  const csv = await run("report", "--run", String(id), "--csv");
  expect(csv.stdout.replace("\uFEFF", "").split("\r\n")).toEqual([
    "practice,run,line,patient,part,reason,owner,due_date",
    `${practice},${id},3,1003,refused,"patient_dob_invalid, entered by hand",,`,
    "",
  ]);
});

test("a practice's own legacy records are checked, converted and verified; a run that waits for decisions resumes", async () => {
  const physician = await seedPhysician(practice);
  const token = await tokenFor({ organizationId: basics.organization, practices: [practice] });
  for (const policy of [{ carrier: "Acme Health", member_id: "A1" }, { member_id: "A2" }]) {
    const patient = await seedPatient(practice, physician);
    const body = { ...MARIA, ...policy, rank: 1 };
    expect((await call("POST", `patients/${patient}/policies`, { token, body })).status).toBe(201);
  }
  await db.run(sql`UPDATE policy SET member_id = 'X9' WHERE practice_id = ${practice} AND member_id = 'A1'`);
  const own = (...args: string[]) => run("convert", "--own", "--practice", String(practice), ...args);

  const first = await own("--json");
  expect([first.code, first.stderr]).toEqual([1, ""]);
  const { id } = await lastRun();
  expect(eventOf(first, "run")).toMatchObject({ run: id, source: "Own legacy records", resumed_in: null });
  expect(eventOf(first, "blocked")).toMatchObject({ run: id, records: 1 });

  const again = await own("--leave-out", "nobody knows the carrier");
  expect([again.code, await countRuns()]).toEqual([0, 1]);
  expect(again.stdout).toContain(`Run ${id} for its own records continues: it is checked as of`);
  expect(again.stdout).toContain("Converted: 1 record; 1 skipped.");
  const members = await db.rows(sql`SELECT member_id FROM policy WHERE practice_id = ${practice} ORDER BY id`);
  expect(members).toEqual([{ member_id: "A1" }, { member_id: "A2" }]);
  expect((await run("verify", String(id))).stdout).toContain("No differences.");
});

test("another file, other options or a corrected file starts another run", async () => {
  const file = mixed();
  await convert(file);
  expect(await countRuns()).toBe(1);
  await run("convert", file, "--practice", String(practice), "--as-of", "2024-01-01");
  expect(await countRuns(), "another day").toBe(2);
  await run("convert", file, "--practice", String(practice), "--as-of", "2024-01-01");
  expect(await countRuns(), "the same again").toBe(2);
  const { mtime } = fs.statSync(file);
  fs.writeFileSync(file, fs.readFileSync(file, "utf8").replace("First1", "Fiona1"));
  fs.utimesSync(file, mtime, mtime);
  await convert(file);
  expect(await countRuns(), "different content of the same size and date").toBe(3);
});

test("--json prints one object per line and nothing else", async () => {
  const converted = await convert(mixed(), "--accept-fixes", "--leave-out", "entered by hand", "--json");
  const { id } = await lastRun();
  expect(converted).toMatchObject({ code: 0, stderr: "" });
  expect(linesOf(converted).map(({ event }) => event)).toEqual([
    "run",
    "checked",
    "findings",
    "findings",
    "accepted",
    "left_out",
    "converted",
  ]);
  expect(eventOf(converted, "run")).toMatchObject({ run: id, practice, source: "mixed.ndjson", resumed_in: null });
  expect(eventOf(converted, "checked")).toMatchObject({
    patients: { records: 3, create: 1, refused: 2 },
    blocked: { records: 2, findings: 2 },
  });
  expect(eventOf(converted, "converted")).toMatchObject({ run: id, converted: 2, left_out: 1, stale: 0 });

  const verified = await run("verify", String(id), "--json");
  expect(linesOf(verified)).toEqual([
    { event: "verified", run: id, records: 2, changed_since: 0, policies: 6, images: 0, images_read: 0, different: 0 },
    { event: "kept", run: id, originals_until: expect.stringMatching(/^\d{4}-/) },
  ]);
  const report = await run("report", "--run", String(id), "--json");
  expect(eventOf(report, "report")).toMatchObject({
    records: 3,
    percent: 66,
    verified: 2,
    convertible: 0,
    person: 0,
    refused: 1,
  });
  expect(eventOf(report, "not_ready")).toMatchObject({ line: 3, patient: "1003", part: "refused" });
  expect(eventOf(report, "not_ready"), "no names reach a command line").not.toHaveProperty("name");
  const back = await run("rollback", String(id), "--reason", "a rehearsal", "--json");
  const companiesAfter = { removed: [expect.any(Number), expect.any(Number)], restored: [], kept: [] };
  const kept = { originals_until: expect.stringMatching(/^\d{4}-/), events_kept_days: 30 };
  expect(linesOf(back)).toEqual([
    { event: "rolled_back", run: id, rolled_back: 2, kept: 0, companies: companiesAfter, ...kept },
  ]);
});

test("differences found by verification, and records that a rollback keeps, are listed and exit with 1", async () => {
  await convert(good);
  const { id } = await lastRun();
  await db.run(sql`UPDATE patient_insurance SET member_id = 'X' WHERE practice_id = ${practice} AND external_id = 10`);
  const verified = await run("verify", String(id));
  expect(verified.code).toBe(1);
  expect(verified.stdout).toContain("1 record with differences:");
  expect(verified.stdout).toMatch(/ {2}line 1, patient 1001: policy \d+, member_id: legacy "X", policy "M10"/);
  const asJson = await run("verify", String(id), "--json");
  expect(asJson.code).toBe(1);
  expect(eventOf(asJson, "difference")).toMatchObject({ line: 1, patient: "1001" });
  expect((await run("report", "--run", String(id))).code, "a person has to look").toBe(1);

  await db.run(sql`UPDATE patient SET version = version + 1 WHERE practice_id = ${practice} AND external_id = 1002`);
  const back = await run("rollback", String(id), "--reason", "a rehearsal");
  expect(back.code).toBe(1);
  expect(back.stdout).toContain("Rolled back: 1 record.\n1 record kept");
});

test("a failed rollback continues with the same command", async () => {
  await convert(good);
  const { id: runId } = await lastRun();
  await db.run(
    sql`UPDATE migration_run SET state = 'failed', stopped_in = 'rolling_back', done = 0 WHERE id = ${runId}`,
  );
  const back = await run("rollback", String(runId), "--reason", "a rehearsal");
  expect([back.code, back.stdout]).toEqual([0, expect.stringContaining("Rolled back: 2 records.")]);
});

test("npx crosswalk opens the configured database from any folder and passes on the exit code", async () => {
  const args = ["convert", good, "--practice", String(practice), "--companies", companies, "--json"];
  const converted = await runScript("crosswalk.mjs", args);
  expect([converted.code, linesOf(converted).at(-1)]).toMatchObject([0, { event: "converted", converted: 2 }]);
  const help = await runScript("crosswalk.mjs", ["help"]);
  expect(help.code).toBe(0);
  for (const command of ["check", "convert", "verify", "rollback", "report"]) {
    expect(help.stdout).toContain(`npx crosswalk ${command} `);
  }
  const wrong = await runScript("crosswalk.mjs", ["verify", "999999"]);
  expect(wrong.code).toBe(2);
});
