// Loads records from files: by key, repeatedly, with invalid rows, and after an interrupted run.
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { withAdvisoryLock } from "@/lib/platform/db/advisory-lock";
import { db, sql } from "@/lib/platform/db/sql";
import { programOf } from "@/scripts/lib/programs.mjs";
import { type Basics, call, seedBasics, seedPatient, tokenFor } from "../support/api";
import { LABELER, load, MEDICATION, PACKAGE } from "../support/reference-data";
import { runScript } from "../support/run-script";
import { snapshot } from "../support/snapshot";

let basics: Basics;
beforeAll(async () => {
  basics = await seedBasics();
});

const folder = fs.mkdtempSync(path.join(process.env.CROSSWALK_DATA_DIR as string, "load-"));
function write(name: string, text: string): string {
  const file = path.join(folder, name);
  fs.writeFileSync(file, text);
  return file;
}
const lines = (rows: readonly unknown[]) => `${rows.map((row) => JSON.stringify(row)).join("\n")}\n`;
const run = (...args: string[]) => runScript("load.ts", args);

interface Stored {
  id: number;
  version: number;
  deleted_date: string | null;
  data: Record<string, unknown>;
}
const stored = (resource: string) =>
  db.rows<Stored>(sql`
    SELECT id, version, deleted_date, data FROM resource_record WHERE resource = ${resource} ORDER BY id`);
/** Finds the record with this data. */
const findStored = async (resource: string, data: Record<string, unknown>) =>
  (await stored(resource)).find((row) => Object.entries(data).every(([field, value]) => row.data[field] === value));
const counts = ({ read, created, updated, unchanged, removed, rejected }: Awaited<ReturnType<typeof load>>) => ({
  read,
  created,
  updated,
  unchanged,
  removed,
  rejected,
});
const NOTHING = { created: 0, updated: 0, unchanged: 0, removed: 0, rejected: 0 };

describe("the same rows again", () => {
  test("change nothing; a row that differs creates one version with the difference, attributed to the loader", async () => {
    const rows = [
      { medispanid: "1", name: "First" },
      { medispanid: "2", name: "Second" },
    ];
    expect(counts(await load("packaged_medication_labelers", rows))).toEqual({ ...NOTHING, read: 2, created: 2 });
    const before = await snapshot();
    expect(counts(await load("packaged_medication_labelers", rows))).toEqual({ ...NOTHING, read: 2, unchanged: 2 });
    expect(await snapshot()).toEqual(before);

    const renamed = [rows[0], { medispanid: "2", name: "Renamed" }];
    const report = await load("packaged_medication_labelers", renamed, { reason: "November release" });
    expect(counts(report)).toEqual({ ...NOTHING, read: 2, updated: 1, unchanged: 1 });
    const [first, second] = await stored("packaged_medication_labelers");
    expect([first?.version, second?.version]).toEqual([1, 2]);
    const versions = await db.rows(sql`
      SELECT version, kind, changes, reason, actor ->> 'name' AS by FROM record_version
      WHERE record_type = 'packaged_medication_labelers' AND record_id = ${second?.id} AND version = 2`);
    expect(versions).toEqual([
      {
        version: 2,
        kind: "updated",
        changes: { name: { old: "Second", new: "Renamed" } },
        by: "Record loader",
        reason: "Loaded from packaged_medication_labelers.ndjson: November release",
      },
    ]);
    const { body } = await call("GET", "packaged_medication_labelers/?name=Renamed", { token: basics.token });
    expect(body.results).toHaveLength(1);
    const old = await call("GET", "packaged_medication_labelers/?name=Second", { token: basics.token });
    expect(old.body.results).toEqual([]);
  });

  test("keep fields that they omit", async () => {
    await load("reference_medications", [MEDICATION]);
    await load("reference_medications", [{ external_id: MEDICATION.external_id, name: "renamed" }]);
    const medication = await findStored("reference_medications", { external_id: MEDICATION.external_id });
    expect(medication?.data).toMatchObject({ ...MEDICATION, name: "renamed" });
  });
});

describe("an invalid row", () => {
  beforeAll(async () => {
    await load("packaged_medication_labelers", [LABELER]);
    await load("reference_medications", [MEDICATION]);
  });

  test("is rejected by line and field, and the others are loaded", async () => {
    const file = write(
      "packages.ndjson",
      [
        JSON.stringify(PACKAGE),
        "{ndc}",
        JSON.stringify({ ...PACKAGE, ndc: "1", is_active: "yes" }),
        JSON.stringify({ ...PACKAGE, ndc: "2", colour: "red" }),
        JSON.stringify({ ...PACKAGE, ndc: "3", labeler_id: { medispanid: "none" } }),
        JSON.stringify({ ...PACKAGE, ndc: "4", reference_medication_id: 999_999_999 }),
        JSON.stringify({ ...PACKAGE, ndc: null }),
        JSON.stringify({ ...PACKAGE, name: "again" }),
        JSON.stringify({ ...PACKAGE, ndc: "5", name: "a\u0000b" }),
        JSON.stringify({ ndc: "6", labeler_id: null }),
        JSON.stringify({ ndc: "7" }),
      ].join("\n"),
    );
    const { code, stdout, stderr } = await run("packaged_medications", file);
    expect([code, stderr]).toEqual([1, ""]);
    const said = stdout.split("\n").slice(0, 10);
    expect(said).toEqual([
      "packaged_medications: 11 read, 2 created, 0 updated, 0 unchanged, 0 removed, 9 rejected",
      "  line 2: is not JSON",
      "  line 3: is_active: Must be true or false.",
      "  line 4: colour: Unknown field.",
      '  line 5: labeler_id: No record of packaged_medication_labelers has the key "none".',
      "  line 6: reference_medication_id: No record of reference_medications has the ID 999999999.",
      "  line 7: ndc: Identifies the record and must not be empty.",
      "  line 8: Describes the same record as line 1.",
      "  line 9: name: May not contain NUL.",
      expect.stringMatching(/^ {2}line 10: labeler_id: /),
    ]);
    const [first] = await stored("packaged_medications");
    const labeler = await findStored("packaged_medication_labelers", LABELER);
    const medication = await findStored("reference_medications", { external_id: MEDICATION.external_id });
    expect(first?.data).toMatchObject({ labeler_id: labeler?.id, reference_medication_id: medication?.id });
  });

  test("is rejected if an earlier batch contained the same record", async () => {
    const rows = Array.from({ length: 1_500 }, (_, at) => ({ ndc: `A-${at}` }));
    const report = await load("packaged_medications", [...rows, { ndc: "a-3", name: "again" }]);
    expect(report).toMatchObject({
      created: 1_500,
      rejected: 1,
      rejections: [{ line: 1_501, reason: "Describes the same record as an earlier line." }],
    });
    expect(counts(await load("packaged_medications", rows))).toMatchObject({ unchanged: 1_500, rejected: 0 });
  });

  test("writes nothing with --all-or-nothing, and a dry run never writes", async () => {
    const before = await snapshot();
    const file = write("languages.ndjson", lines([{ name: "English" }, { name: "" }]));
    const rejected = await run("languages", file, "--all-or-nothing");
    expect(rejected.code).toBe(1);
    expect(rejected.stdout).toMatch(/1 created.*1 rejected\n {2}line 2: name: .*\nNothing was written\./);
    const good = write("good.ndjson", lines([{ name: "English" }]));
    const dry = await run("languages", good, "--dry-run");
    expect([dry.code, dry.stdout]).toEqual([0, expect.stringMatching(/1 created.*\nDry run: nothing was written\./)]);
    expect(await snapshot()).toEqual(before);
    expect((await run("languages", good, "--all-or-nothing", "--json")).code).toBe(0);
    expect(await stored("languages")).toHaveLength(1);
  });
});

describe("a CSV file", () => {
  test("supplies numbers, booleans, lists, nested values and references by its headings", async () => {
    const heading = "external_id,name,ndcs,is_controlled,strength,market_end_date\r\n";
    const row = '77,"cream, 1%",07001-1000-11; 07001-1000-21,TRUE,,\r\n';
    const medications = write("medications.csv", `\uFEFF${heading}${row}`);
    expect((await run("reference_medications", medications)).code).toBe(0);
    const csv = await findStored("reference_medications", { external_id: "77" });
    expect(csv?.data).toMatchObject({
      external_id: "77",
      name: "cream, 1%",
      ndcs: ["07001-1000-11", "07001-1000-21"],
      is_controlled: true,
      strength: null,
      market_end_date: null,
      rxnorm_cuis: [],
    });
    const packs = write(
      "packs.csv",
      "ndc;reference_medication_id.external_id;labeler_id.medispanid\nC-1;77;\nC-2;78;\n",
    );
    const { code, stdout } = await run("packaged_medications", packs);
    expect(code).toBe(1);
    expect(stdout).toContain("line 3: reference_medication_id: No record of reference_medications");
    const pack = (await stored("packaged_medications")).at(-1);
    expect(pack?.data.reference_medication_id).toBe(csv?.id);
    expect(pack?.data).not.toHaveProperty("labeler_id");

    const vaccines = write("vaccines.csv", "cvx,name\n08,Hep B\nx,none\n9\n");
    expect((await run("vaccine", vaccines)).stdout).toMatch(
      /1 created.*\n {2}line 3: cvx: .*\n {2}line 4: has 1 cells/,
    );
    expect((await stored("vaccine"))[0]?.data).toMatchObject({ cvx: 8, ndc_values: [] });
  });

  test("makes the command print one line and exit with 2 if a heading is unknown, like every other usage error", async () => {
    const file = write("odd.csv", "name,colour\nx,red\n");
    const good = write("fine.csv", "name\nx\n");
    const cases: [string[], string][] = [
      [["languages", file], '"colour" is not a field of languages. Fields: name'],
      [["colours", file], '"colours" is not a resource. Resources: allergies'],
      [["languages"], "FILE is missing"],
      [["languages", "nowhere.csv"], "FILE nowhere.csv can't be read: the file does not exist"],
      [["languages", good, "--format", "xml"], "--format must be ndjson or csv"],
      [["languages", good, "--practice", "1"], "All practices share the records of languages"],
      [["patient_forms", good], "Records of patient_forms belong to a practice. Say which one."],
      [["patient_forms", good, "--practice", "999999"], "--practice: No such practice."],
    ];
    const ended = await Promise.all(cases.map(([args]) => run(...args)));
    for (const [at, [, says]] of cases.entries()) {
      expect(ended[at]).toMatchObject({ code: 2, stdout: "" });
      expect(ended[at]?.stderr).toContain(says);
    }
  });
});

describe("a record that a file no longer contains", () => {
  test("is removed on request, listed as deleted, and restored as the same record", async () => {
    const rows = ["A", "B", "C"].map((name) => ({ ncpdpid: `900000${name}`, store_name: name, ...OPEN }));
    await load("pharmacies", rows);
    const [, second] = await stored("pharmacies");
    const fewer = rows.filter(({ store_name }) => store_name !== "B");
    expect(counts(await load("pharmacies", fewer))).toMatchObject({ unchanged: 2, removed: 0 });
    const odd = await load("pharmacies", [...fewer, { ncpdpid: "1" }], { removeAbsent: true });
    expect(odd).toMatchObject({ rejected: 1, removed: 0 });
    expect(counts(await load("pharmacies", [], { removeAbsent: true }))).toEqual({ ...NOTHING, read: 0 });
    expect((await load("pharmacies", fewer, { removeAbsent: true, dryRun: true })).removed).toBe(1);
    expect((await load("pharmacies", fewer, { removeAbsent: true })).removed).toBe(1);
    expect((await load("pharmacies", fewer, { removeAbsent: true })).removed).toBe(0);
    expect((await call("GET", "pharmacies/900000B/", { token: basics.token })).status).toBe(404);
    expect((await load("pharmacies", rows, { removeAbsent: true })).updated).toBe(1);
    expect((await call("GET", "pharmacies/900000B/", { token: basics.token })).body.id).toBe(second?.id);
    const kinds = await db.rows(sql`
      SELECT kind FROM record_version WHERE record_type = 'pharmacies' AND record_id = ${second?.id} ORDER BY version`);
    expect(kinds.map((row) => (row as { kind: string }).kind)).toEqual(["created", "deleted", "updated"]);
  });

  test("is listed as deleted, also by its other fields", async () => {
    await load("packaged_medications", [{ ndc: "A-0" }], { removeAbsent: true });
    const { body } = await call("GET", "packaged_medications/?is_deleted=true&ndc=A-1", { token: basics.token });
    expect(body.results).toEqual([expect.objectContaining({ ndc: "A-1", deleted_date: expect.any(String) })]);
  });
});

const OPEN = { active_start_time: "2020-01-01T00:00:00Z", active_end_time: "2099-12-31T00:00:00Z" };

describe("a practice's records", () => {
  test("are identified by the file's own ID, publish events, and belong to no other practice", async () => {
    const hook = { resource: "patient_forms", target: "https://hooks.example.org/forms" };
    await call("POST", "subscriptions", { token: basics.token, body: hook });
    const rows = [{ external_id: "form-1", form_name: "Intake", sequence: 1, topics: ["history"] }];
    expect((await load("patient_forms", rows, { practiceId: basics.enabled })).created).toBe(1);
    expect((await load("patient_forms", rows, { practiceId: basics.enabled })).unchanged).toBe(1);
    const elsewhere = await load("patient_forms", rows, { practiceId: basics.foreign });
    expect(elsewhere.created).toBe(1);
    const wrong = [{ ...rows[0], external_id: "form-2", practice: basics.foreign }];
    expect((await load("patient_forms", wrong, { practiceId: basics.enabled })).rejections).toEqual([
      { line: 1, reason: "practice: Is not the practice whose records are loaded." },
    ]);
    const { body } = await call("GET", "patient_forms/", { token: basics.token });
    expect(body.results).toEqual([expect.objectContaining({ form_name: "Intake", practice: basics.enabled })]);
    expect(body.results[0]).not.toHaveProperty("external_id");
    const events = await db.rows(sql`
      SELECT event_type, resource_id, practice_id FROM published_event WHERE resource = 'patient_forms'`);
    expect(events).toEqual([{ event_type: "saved", resource_id: body.results[0].id, practice_id: basics.enabled }]);
  });

  test("are audited if they belong to a patient, and loaded only for the practice's own patients", async () => {
    const patient = await seedPatient(basics.enabled, basics.physicians.enabled);
    const stranger = await seedPatient(basics.foreign, basics.physicians.foreign);
    const injection = { dose: "0.5", given_date: "2024-10-01T10:00:00Z", ndc: null, lot_number: "L1" };
    const report = await load(
      "injections",
      [
        { ...injection, external_id: "1", patient },
        { ...injection, external_id: "2", patient: stranger },
        { ...injection, external_id: "3" },
      ],
      { practiceId: basics.enabled },
    );
    expect(report).toMatchObject({ created: 1, rejected: 2 });
    expect(report.rejections.map(({ reason }) => reason)).toEqual([
      `patient: No record of patients has the ID ${stranger}.`,
      "patient: This field is required.",
    ]);
    const entries = await db.rows(sql`
      SELECT patients, operation FROM audit_log WHERE operation = 'records.load' AND kind = 'change'`);
    expect(entries).toEqual([{ patients: [patient], operation: "records.load" }]);
    const token = await tokenFor({ organizationId: basics.organization, practices: [basics.disabled] });
    expect((await call("GET", "injections/", { token })).body.results).toEqual([]);
  });

  test("keep the file's own ID when a client changes them", async () => {
    const rows = [{ external_id: "t-1", name: "Telehealth", default_duration: 20 }];
    await load("appointment_types", rows, { practiceId: basics.disabled });
    const [type] = await stored("appointment_types");
    const body = { color: "#336699" };
    const changed = await call("PATCH", `appointment_types/${type?.id}/`, { token: basics.token, body });
    expect(changed.status).toBe(200);
    expect(counts(await load("appointment_types", rows, { practiceId: basics.disabled }))).toMatchObject({
      created: 0,
      unchanged: 1,
    });
  });
});

test("one process at a time loads a resource", async () => {
  await withAdvisoryLock({ name: "load vaccine", taken: "", waitMs: 0 }, async () => {
    const second = load("vaccine", [{ cvx: 20 }]);
    await expect(second).rejects.toThrow("Records of vaccine are being loaded already.");
  });
});

const MANY = 100_000;

test(`a run of ${MANY} rows that is killed and repeated has the result of one run, in bounded memory`, async () => {
  const file = path.join(folder, "many.ndjson");
  const out = fs.createWriteStream(file);
  for (let at = 0; at < MANY; at++) out.write(`{"name":"lang-${at}"}\n`);
  await new Promise((resolve) => out.end(resolve));
  const count = async () =>
    (await db.first<{ n: number }>(sql`SELECT count(*) AS n FROM resource_record WHERE resource = 'languages'`))?.n ??
    0;

  const child = spawn(process.execPath, [programOf("load.ts"), "languages", file], {
    env: process.env,
    stdio: "ignore",
  });
  const exited = new Promise((resolve) => child.once("close", resolve));
  while ((await count()) < 5_000) await new Promise((resolve) => setTimeout(resolve, 20));
  child.kill("SIGKILL");
  await exited;
  const before = await count();
  expect(before).toBeLessThan(MANY);
  // Batches are atomic; the language that was loaded before the kill is also there.
  expect((before - 1) % 1_000).toBe(0);

  const few = write("few.ndjson", lines(Array.from({ length: 2_000 }, (_, at) => ({ name: `lang-${at}` }))));
  const small = JSON.parse((await run("languages", few, "--json")).stdout);
  const second = await run("languages", file, "--json");
  const report = JSON.parse(second.stdout);
  console.info(
    `${MANY} rows: ${report.seconds.toFixed(1)} s, ${report.peak_memory_mib} MiB at most (2,000 rows: ${small.peak_memory_mib} MiB)`,
  );
  expect(report).toMatchObject({ read: MANY, created: MANY + 1 - before, unchanged: before - 1, rejected: 0 });
  // V8 leaves about 80 MiB of garbage; keeping the rows and their records would take several hundred.
  expect(report.peak_memory_mib - small.peak_memory_mib).toBeLessThan(150);
  const whole = await db.first(sql`
    SELECT count(*) AS records, count(DISTINCT data ->> 'name') AS names, max(version) AS version,
      (SELECT count(*) FROM resource_key WHERE resource = 'languages') AS keys,
      (SELECT count(*) FROM record_version WHERE record_type = 'languages') AS versions
    FROM resource_record WHERE resource = 'languages'`);
  const all = MANY + 1;
  expect(whole).toEqual({ records: all, names: all, version: 1, keys: 2 * all, versions: all });
});
