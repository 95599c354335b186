// A command-line run that was interrupted by a stop, a kill or a failure: the same command resumes it.
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createStartedRun, failRun } from "@/lib/migration/runs/migration-run";
import { db, sql } from "@/lib/platform/db/sql";
import { fingerprintSource } from "@/lib/platform/files/read-lines";
import { fileSource } from "@/lib/platform/files/source";
import { type Basics, seedBasics } from "../support/api";
import { COMPANIES, countStores, legacyPatient, writeLines } from "../support/legacy-export";
import { requestFor, seedMigratingPractice } from "../support/migration-runs";
import { runScript } from "../support/run-script";

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

const convert = (file: string) => {
  const args = [file, "--practice", String(practice), "--companies", companies, "--as-of", "2025-10-01"];
  return runScript("crosswalk-convert.ts", args);
};

/** Finds the practice's only run. */
async function findOnlyRun() {
  const rows = await db.rows<{ id: number; state: string }>(
    sql`SELECT id, state FROM migration_run WHERE practice_id = ${practice}`,
  );
  expect(rows).toHaveLength(1);
  return rows[0] as { id: number; state: string };
}

describe("an interrupted run", () => {
  const begin = async (file: string) => {
    const content = await fingerprintSource(await fileSource(file));
    const named = { practiceId: practice, name: path.basename(file), ...content, asOf: "2025-10-01" };
    const listed = COMPANIES.map(({ id, ...fields }) => ({ externalId: id, fields }));
    return createStartedRun(requestFor(practice), { ...named, columns: null, companies: listed });
  };

  test("resumes with the same command", async () => {
    const id = await begin(good);
    const { code, stdout } = await convert(good);
    expect(code).toBe(0);
    expect(stdout).toContain(`Run ${id} of this file continues: it was interrupted while its file was read.`);
    expect(await findOnlyRun()).toEqual({ id, state: "converted" });
  });

  test("does not resume with another file of the same name, size and date", async () => {
    await begin(good);
    await db.run(sql`UPDATE migration_run SET state = 'checked' WHERE practice_id = ${practice}`);
    fs.mkdirSync(path.join(path.dirname(good), "other"));
    const other = writeLines("other/good.ndjson", [legacyPatient(1), legacyPatient(3)]);
    expect(fs.statSync(other).size).toBe(fs.statSync(good).size);
    fs.utimesSync(other, new Date(), fs.statSync(good).mtime);
    const { code, stdout } = await convert(other);
    expect([code, stdout.includes("continues")]).toEqual([0, false]);
    const rows = await db.rows<{ external_id: number }>(
      sql`SELECT external_id FROM patient WHERE practice_id = ${practice} ORDER BY 1`,
    );
    expect(rows.map(({ external_id }) => external_id)).toEqual([1001, 1003]);
  });

  test("resumes after a failure", async () => {
    const id = await begin(good);
    await failRun(db, { id, state: "reading" }, "The disk was full.");
    const { code, stdout } = await convert(good);
    expect(code).toBe(0);
    expect(stdout).toContain(`Run ${id} of this file continues: it failed while its file was read.`);
    expect(await findOnlyRun()).toEqual({ id, state: "converted" });
  });

  test("blocks another file of the practice with exit code 3, naming the blocking run", async () => {
    const id = await begin(good);
    const { code, stdout, stderr } = await convert(writeLines("other.ndjson", [legacyPatient(3)]));
    expect([code, stdout]).toEqual([3, ""]);
    expect(stderr).toContain(`Run ${id} of this practice is in progress.`);
  });

  test("fails with its reason in one line and exit code 3", async () => {
    const csv = writeLines("unknown.csv", ["a,b,c", "1,2,3"]);
    const { code, stderr } = await convert(csv);
    expect(code).toBe(3);
    expect(stderr.split("\n")[0]).toMatch(/^✗ Run \d+ failed: /);
    expect(stderr).not.toContain("    at ");
  });
});

test("finishes its batch when it is stopped, and says how to continue before its database stops", async () => {
  const many = writeLines(
    "many.ndjson",
    Array.from({ length: 1_500 }, (_, n) => legacyPatient(n + 1)),
  );
  const args = ["--practice", String(practice), "--companies", companies, "--as-of", "2025-10-01"];
  const child = spawn(process.execPath, ["scripts/crosswalk.mjs", "convert", many, ...args], {
    env: process.env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let stdout = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  const exited = new Promise<number | null>((resolve) => child.once("close", resolve));
  const begun = sql`SELECT FROM migration_run WHERE practice_id = ${practice} AND state <> 'uploading' AND done > 0`;
  while (!(await db.first(begun)) && child.exitCode === null) await new Promise((resolve) => setTimeout(resolve, 20));
  child.kill("SIGTERM");
  expect(await exited).toBe(143);
  const { id } = await findOnlyRun();
  expect(stdout).toContain(`Stopped. Run the same command to continue run ${id}.`);
  const again = await convert(many);
  expect(again.code).toBe(0);
  expect(again.stdout).toContain(`Run ${id} of this file continues: it was interrupted while `);
  expect(await countStores(practice)).toMatchObject({ patients: 1_500, active: 1_500, archived: 3_000 });
});
