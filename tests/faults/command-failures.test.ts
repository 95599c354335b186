// Failing commands say what failed, where and what to do: a full disk, a missing permission, a lost database.
import fs from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { db, raw, sql } from "@/lib/platform/db/sql";
import { deploy } from "@/scripts/lib/migrations.mjs";
import { inRoot, ROOT } from "@/scripts/lib/paths.mjs";
import { startPostgres } from "@/scripts/lib/postgres.mjs";
import { programOf } from "@/scripts/lib/programs.mjs";
import { type Basics, seedBasics } from "../support/api";
import { COMPANIES, legacyCard, legacyInsurance, legacyPatient, writeLines } from "../support/legacy-export";
import {
  asNobody,
  canMount,
  createUnprivilegedFolder,
  isRoot,
  runIntoHead,
  runProgram,
  smallDisk,
} from "../support/machine";
import { seedMigratingPractice } from "../support/migration-runs";
import { owner } from "../support/owner";
import { cleanUp, postmasterPid, temporaryDataDir } from "../support/processes";
import { runScript, type ScriptResult } from "../support/run-script";

if (!canMount) console.warn("skipped: full disks, because this user can't mount a small one");

let basics: Basics;
let practice: number;
let companies: string;
beforeAll(async () => {
  basics = await seedBasics();
  companies = writeLines("companies.ndjson", COMPANIES);
});
beforeEach(async () => {
  practice = await seedMigratingPractice(basics.organization);
});

const convertArgs = (file: string) => [file, "--practice", String(practice), "--companies", companies];

function expectOneLine({ stderr }: ScriptResult): void {
  expect(stderr, "no stack").not.toMatch(/^\s+at /m);
}

/** Reads the command's log, which its message names. */
function logOf({ stderr }: ScriptResult): string {
  const [, file] = /^Log: (.+)$/m.exec(stderr) ?? [];
  expect(file, stderr).toBeTruthy();
  return fs.readFileSync(file as string, "utf8");
}

describe.skipIf(!canMount)("a full disk", () => {
  test("is reported with the image file, the bytes it needs and the free bytes; with more space the same command continues", async () => {
    const disk = smallDisk("16k");
    if (!disk) return;
    try {
      const file = writeLines(
        "cards.ndjson",
        await Promise.all(
          Array.from({ length: 20 }, async (_, n) => legacyPatient(n + 1, { insurance_cards: [await legacyCard(n)] })),
        ),
      );
      const LOG_FILE = path.join(process.env.CROSSWALK_DATA_DIR as string, "full.log");
      const settings = { IMAGE_STORE_DIR: disk.folder, LOG_LEVEL: "warn", LOG_FILE };
      const full = await runScript("crosswalk-convert.ts", convertArgs(file), settings);
      expect(full.code).toBe(3);
      const words = new RegExp(
        `✗ The disk is full: ${disk.folder}/\\S+ can't be written\\. It needs [\\d,]+ bytes, [\\d,]+ bytes are free\\.`,
      );
      expect(full.stderr).toMatch(words);
      expect(full.stderr).toContain("Make room, then give the same command again.");
      expectOneLine(full);
      expect(logOf(full)).toContain("ENOSPC");
      const [waiting] = await db.rows<{ state: string; error: string }>(
        sql`SELECT state, error FROM migration_run WHERE practice_id = ${practice}`,
      );
      expect(waiting).toMatchObject({ state: "converting", error: expect.stringContaining("The disk is full") });
      disk.resize("4m");
      const done = await runScript("crosswalk-convert.ts", convertArgs(file), settings);
      expect(done).toMatchObject({ code: 0, stderr: "" });
      const [after] = await db.rows(sql`SELECT state, error FROM migration_run WHERE practice_id = ${practice}`);
      expect(after).toEqual({ state: "converted", error: null });
    } finally {
      disk.remove();
    }
  });

  test("is reported by the command and on the run's page if it holds the database", async () => {
    const disk = smallDisk("320k");
    const server = await owner.first<{ data: string }>(sql`SELECT current_setting('data_directory') AS data`);
    const { uid, gid } = fs.statSync(server?.data as string);
    if (!disk) return;
    const space = raw(`small_${process.pid}`);
    try {
      fs.chownSync(disk.folder, uid, gid);
      await owner.run(sql`CREATE TABLESPACE ${space} LOCATION ${raw(`'${disk.folder}'`)}`);
      await owner.run(sql`ALTER TABLE migration_record SET TABLESPACE ${space}`);
      // Numbers that differ, because equal ones would be stored compressed.
      const notes = (n: number) => Array.from({ length: 600 }, (_, at) => (n * 7_919 + at * 104_729) % 9_973).join(" ");
      const unlike = Array.from({ length: 400 }, (_, n) => legacyPatient(n + 1, { notes: notes(n) }));
      const LOG_FILE = path.join(process.env.CROSSWALK_DATA_DIR as string, "database.log");
      const file = writeLines("many.ndjson", unlike);
      const full = await runScript("crosswalk-convert.ts", convertArgs(file), { LOG_LEVEL: "warn", LOG_FILE });
      expect(full.code).toBe(3);
      expect(full.stderr).toMatch(
        /The disk of the database at \S+:\d+\/\S+ is full: could not extend file "\S+": No space left on device/,
      );
      expectOneLine(full);
      expect(logOf(full)).toContain("No space left on device");
      const [run] = await db.rows<{ state: string; error: string }>(
        sql`SELECT state, error FROM migration_run WHERE practice_id = ${practice}`,
      );
      expect(run).toMatchObject({ state: "reading", error: expect.stringContaining("The disk of the database at") });
    } finally {
      disk.resize("32m");
      await owner.run(sql`TRUNCATE migration_record CASCADE`);
      await owner.run(sql`ALTER TABLE migration_record SET TABLESPACE pg_default`);
      await owner.run(sql`DROP TABLESPACE ${space}`);
      disk.remove();
    }
  });
});

test("a full disk for the output is reported, with an exit code other than 0", async () => {
  const file = writeLines("one.ndjson", [legacyPatient(1)]);
  const program = [inRoot(programOf("crosswalk-check.ts")), file, "--companies", companies].map((word) => `'${word}'`);
  const full = await runProgram("bash", ["-c", `'${process.execPath}' ${program.join(" ")} > /dev/full`], {
    env: { ...process.env, LOG_FILE: "" },
  });
  expect(full.code).toBe(3);
  expect(full.stderr).toContain("✗ The output can't be written. The disk is full");
});

describe.skipIf(!isRoot)("a missing permission", () => {
  test("is reported with the folder of the card images", async () => {
    const folder = fs.mkdtempSync(path.join(process.env.CROSSWALK_DATA_DIR as string, "store-"));
    fs.chmodSync(process.env.CROSSWALK_DATA_DIR as string, 0o755);
    fs.chmodSync(folder, 0o755);
    const file = writeLines("card.ndjson", [legacyPatient(1, { insurance_cards: [await legacyCard(1)] })]);
    const env = {
      ...process.env,
      IMAGE_STORE_DIR: folder,
      LOG_LEVEL: "warn",
      LOG_FILE: path.join(createUnprivilegedFolder(), "a.log"),
    };
    const rejected = await runProgram(
      process.execPath,
      [inRoot(programOf("crosswalk-convert.ts")), ...convertArgs(file)],
      { env, ...asNobody },
    );
    expect(rejected.code).toBe(3);
    expect(rejected.stderr).toMatch(
      new RegExp(`✗ There is no permission to open or write ${folder}/\\S+ \\(EACCES\\)`),
    );
    expectOneLine(rejected);
    expect(logOf(rejected)).toContain("EACCES");
  });

  test("is reported with the data folder", async () => {
    const folder = fs.mkdtempSync("/tmp/crosswalk-locked-");
    fs.chmodSync(folder, 0o755);
    const env = { ...process.env, CROSSWALK_DATA_DIR: path.join(folder, "data"), SECRET_KEY: "", DATABASE_URL: "" };
    const rejected = await runProgram(process.execPath, [inRoot("scripts/start.mjs")], { env, ...asNobody });
    expect(rejected.code).toBe(1);
    expect(rejected.stderr).toContain(`✗ the data folder ${folder}/data can't be written`);
    fs.rmSync(folder, { recursive: true });
  });
});

describe("a lost database", () => {
  const dataDir = temporaryDataDir();
  const directory = path.join(dataDir, "postgres");
  let url: string;
  let own: number;
  beforeAll(async () => {
    ({ url } = await startPostgres({ directory }));
    await deploy(url);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query(`
      WITH o AS (INSERT INTO organization (name) VALUES ('Own') RETURNING id),
        p AS (INSERT INTO practice (organization_id, name, insurance_versioning_enabled) SELECT id, 'Own', TRUE FROM o RETURNING id),
        d AS (INSERT INTO physician (practice_id, first_name, last_name, email, npi, license, license_state)
          SELECT id, 'Ada', 'Reyes', 'ada@example.org', '1234567893', 'A100', 'MA' FROM p RETURNING practice_id)
      SELECT practice_id AS id FROM d`);
    own = Number(rows[0].id);
    await client.end();
  });
  afterAll(() => cleanUp(dataDir));

  const kill = async () => {
    process.kill(postmasterPid(dataDir) as number, "SIGQUIT");
    while (postmasterPid(dataDir)) await pause(50);
  };

  test("is reported during a conversion with host, port and what to do; the same command resumes after a restart", async () => {
    const file = writeLines(
      "long.ndjson",
      Array.from({ length: 1_500 }, (_, n) => legacyPatient(n + 1, { insurances: [legacyInsurance(10 * n + 10)] })),
    );
    const args = [file, "--practice", String(own), "--companies", companies];
    const settings = { DATABASE_URL: url, LOG_LEVEL: "warn", LOG_FILE: path.join(dataDir, "convert.log") };
    const converting = runScript("crosswalk-convert.ts", args, settings);
    const watch = new pg.Client({ connectionString: url });
    watch.on("error", () => {});
    await watch.connect();
    for (;;) {
      const { rows } = await watch.query("SELECT count(*)::int AS patients FROM patient");
      if (rows[0].patients > 0) break;
      await pause(50);
    }
    await kill();
    const gone = await converting;
    const { host } = new URL(url);
    expect(gone.code).toBe(3);
    expect(gone.stderr).toMatch(
      new RegExp(
        `✗ The database at ${host}/crosswalk can't be reached: (the connection was lost|nothing listens there|it is starting or stopping)\\.`,
      ),
    );
    expect(gone.stderr).toContain("Make sure that it runs, then give the same command again.");
    expectOneLine(gone);
    expect(logOf(gone)).toContain("the command failed");

    ({ url } = await startPostgres({ directory }));
    const done = await runScript("crosswalk-convert.ts", args, { ...settings, DATABASE_URL: url });
    expect([done.code, done.stdout]).toEqual([0, expect.stringContaining("Converted: 1,500 records")]);
  });

  test.each([
    ["crosswalk-verify.ts", ["1"], 3],
    ["crosswalk-rollback.ts", ["1", "--reason", "a test"], 3],
    ["crosswalk-report.ts", [], 3],
    ["crosswalk-setup.ts", ["--organization", "A", "--practice", "B", "--admin", "c@example.org"], 3],
    ["load.ts", ["languages", "FILE"], 1],
    ["audit-verify.ts", [], 3],
    ["images.ts", ["check"], 1],
    ["practice.ts", ["show", "--practice", "1"], 1],
    ["crosswalk.mjs", ["report"], 3],
    ["migrate.mjs", ["status"], 1],
  ])("is reported before %s starts", async (program, args, code) => {
    const file = writeLines("one.ndjson", [legacyPatient(1)]);
    // A local port without a listener, and a password that must not be shown.
    const settings = { DATABASE_URL: "postgresql://someone:hush-hush@127.0.0.1:1/crosswalk", LOG_FILE: "" };
    const gone = await runScript(
      program,
      args.map((word) => (word === "FILE" ? file : word)),
      settings,
    );
    expect(gone.stderr).toContain("✗ The database at 127.0.0.1:1/crosswalk can't be reached: nothing listens there.");
    expect(gone.code).toBe(code);
    expectOneLine(gone);
    expect(gone.stderr + gone.stdout).not.toContain("hush-hush");
  });
});

describe("if the reader stops early, like head,", () => {
  const head = (program: string, args: readonly string[]) =>
    runIntoHead([inRoot(programOf(program)), ...args], process.env);

  test("check exits with 1 for errors and 0 for a valid file", async () => {
    const many = Array.from({ length: 3_000 }, (_, n) => legacyPatient(n + 1, { dob: "1999-02-29" }));
    const args = (lines: Parameters<typeof writeLines>[1]) => [
      writeLines("head.ndjson", lines),
      "--companies",
      companies,
    ];
    const found = await head("crosswalk-check.ts", [...args(many), "--json"]);
    expect(found).toMatchObject({ code: 1, stderr: "", stdout: expect.stringContaining("patient_dob_invalid") });
    expect((await head("crosswalk-check.ts", args([legacyPatient(1)]))).code).toBe(0);
  });

  test("convert, verify, report and the audit complete their work and exit as usual", async () => {
    const many = Array.from({ length: 600 }, (_, n) => legacyPatient(n + 1, n < 300 ? {} : { dob: "1999-02-29" }));
    const file = writeLines("head-run.ndjson", many);
    expect((await head("crosswalk-convert.ts", [...convertArgs(file), "--leave-out", "by hand"])).code).toBe(0);
    const run = await db.first<{ id: number; state: string }>(
      sql`SELECT id, state FROM migration_run WHERE practice_id = ${practice}`,
    );
    expect(run?.state).toBe("converted");
    await db.run(sql`UPDATE patient_insurance SET member_id = 'X' WHERE practice_id = ${practice}`);
    expect((await head("crosswalk-verify.ts", [String(run?.id), "--json"])).code).toBe(1);
    expect((await head("crosswalk-report.ts", ["--run", String(run?.id), "--csv"])).code).toBe(1);
    expect(await head("audit-verify.ts", [])).toMatchObject({ code: 0, stderr: "" });
  });
});

describe("without a data folder", () => {
  test.each([
    ["crosswalk.mjs", ["verify", "1"]],
    ["crosswalk.mjs", ["report"]],
    ["crosswalk.mjs", ["rollback", "1", "--reason", "a test"]],
    ["crosswalk.mjs", ["setup", "--organization", "A", "--practice", "B", "--admin", "c@example.org"]],
    ["run.mjs", ["scripts/audit-verify.ts"]],
    ["run.mjs", ["scripts/images.ts", "check"]],
    ["run.mjs", ["scripts/practice.ts", "show", "--practice", "1"]],
  ])("%s %j reports it and creates no folder", async (program, args) => {
    const dataDir = path.join(process.env.CROSSWALK_DATA_DIR as string, "absent", "data");
    const settings = { CROSSWALK_DATA_DIR: dataDir, DATABASE_URL: "", SECRET_KEY: "", LOG_FILE: "" };
    const missing = await runScript(program, args, settings);
    expect(missing.stderr).toContain(`✗ there is no data folder ${dataDir}. Set CROSSWALK_DATA_DIR or DATABASE_URL`);
    expect([missing.code, fs.existsSync(dataDir)]).toEqual([2, false]);
  });
});

describe("`check` in another user's checkout", () => {
  const copy = fs.mkdtempSync("/tmp/crosswalk-checkout-");
  afterAll(() => fs.rmSync(copy, { recursive: true, force: true }));

  test("works without a build and writes nothing there", async () => {
    for (const name of ["scripts", "lib", "package.json", "package-lock.json", "tsconfig.json"]) {
      fs.cpSync(path.join(ROOT, name), path.join(copy, name), { recursive: true });
    }
    fs.symlinkSync(inRoot("node_modules"), path.join(copy, "node_modules"));
    for (const entry of fs.readdirSync(copy, { recursive: true, withFileTypes: true })) {
      if (entry.isSymbolicLink()) continue;
      fs.chmodSync(path.join(entry.parentPath, entry.name), entry.isDirectory() ? 0o555 : 0o444);
    }
    fs.chmodSync(copy, 0o555);
    const temporary = createUnprivilegedFolder();
    const lines = [legacyPatient(1), legacyPatient(2, { dob: "1999-02-29" })];
    const [file, list] = ["patients.ndjson", "companies.ndjson"].map((name) => path.join(temporary, name)) as [
      string,
      string,
    ];
    fs.copyFileSync(writeLines("patients.ndjson", lines), file);
    fs.copyFileSync(companies, list);
    for (const one of [file, list]) fs.chmodSync(one, 0o644);
    const env = { PATH: process.env.PATH, TMPDIR: temporary, HOME: "/nonexistent" } as unknown as NodeJS.ProcessEnv;
    const args = [
      path.join(copy, "scripts/crosswalk.mjs"),
      "check",
      file,
      "--companies",
      list,
      "--as-of",
      "2025-10-01",
    ];
    const checked = await runProgram(process.execPath, args, { env, cwd: temporary, ...asNobody });
    expect(checked.stderr).toBe("");
    expect([checked.code, checked.stdout]).toEqual([1, expect.stringContaining("patient_dob_invalid")]);
    const made = fs.readdirSync(copy).sort();
    expect(made).toEqual(["lib", "node_modules", "package-lock.json", "package.json", "scripts", "tsconfig.json"]);

    const failed = await runProgram(process.execPath, [...args.slice(0, 2), "/nowhere", "--companies", list], {
      env,
      cwd: copy,
      ...asNobody,
    });
    expect(failed).toMatchObject({ code: 2, stderr: expect.stringContaining("the file does not exist") });
    fs.rmSync(temporary, { recursive: true });
  });
});
