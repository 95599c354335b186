// `npm run import` as its user meets it: options, exit codes, what it prints.
import fs from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import { type Basics, seedBasics } from "../support/api";
import { COMPANIES, legacyPatient, writeLines } from "../support/legacy-export";
import { runScript } from "../support/run-script";

let basics: Basics;
let file: string;
const inFolder = (name: string) => path.join(process.env.CROSSWALK_DATA_DIR as string, name);
beforeAll(async () => {
  basics = await seedBasics();
  file = writeLines("patients.ndjson", [legacyPatient(1), legacyPatient(2, { dob: "?" })]);
  fs.writeFileSync(inFolder("packed.gz"), gzipSync(fs.readFileSync(file)));
  fs.writeFileSync(inFolder("array.json"), JSON.stringify([legacyPatient(1)]));
});

const run = (...args: string[]) => runScript("import.ts", args);

describe("what is wrong is said in one line that names the option, with exit code 2", () => {
  const cases: [string, (given: { file: string }) => string[], string][] = [
    ["no file", () => ["--practice", "1"], "FILE is missing"],
    [
      "no such file",
      () => ["nowhere.ndjson", "--practice", "1"],
      "FILE nowhere.ndjson can't be read: there is no such",
    ],
    ["a folder", () => ["tests", "--practice", "1"], "FILE tests can't be read: it is not a file"],
    [
      "a packed file",
      () => [inFolder("packed.gz"), "--practice", String(basics.enabled)],
      "FILE: An import takes NDJSON, one patient a line and not packed.",
    ],
    [
      "a JSON array",
      () => [inFolder("array.json"), "--practice", String(basics.enabled)],
      "FILE: An import takes NDJSON, one patient a line and not packed.",
    ],
    ["no practice", ({ file }) => [file], "--practice is missing"],
    ["no number", ({ file }) => [file, "--practice", "x1"], "--practice must be an id"],
    ["no such practice", ({ file }) => [file, "--practice", "999999"], "--practice: No such practice."],
    ["no companies file", ({ file }) => [file, "--practice", "1", "--companies", "no"], "--companies no can't be read"],
    ["unknown option", ({ file }) => [file, "--practice", "1", "--quick"], "Unknown option '--quick'"],
    ["two files", ({ file }) => [file, file, "--practice", "1"], "is one word too many"],
  ];
  test.concurrent.each(cases)(
    "%s",
    async (_what, args, message) => {
      const { code, stdout, stderr } = await run(...args({ file }));
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).toContain(message);
      expect(stderr.trim().split("\n")).toHaveLength(1);
    },
    60_000,
  );
});

test("a line that is refused makes exit code 1; none, 0; a pipe gets no progress bar", async () => {
  const companies = writeLines("companies.ndjson", COMPANIES);
  const args = ["--practice", String(basics.enabled), "--companies", companies];
  const first = await run(file, ...args);
  expect(first).toMatchObject({ code: 1, stderr: "" });
  expect(first.stdout).toContain("Companies: 2 read, 2 created, 0 updated, 0 unchanged, 0 refused");
  expect(first.stdout).toContain("Patients: 2 read, 1 created, 0 unchanged, 1 refused");
  expect(first.stdout).toContain("Created with them: 1 active and 2 archived policies");
  expect(first.stdout).toContain("line 2: patient_dob_invalid: dob: not a valid date (YYYY-MM-DD)");

  const good = writeLines("good.ndjson", [legacyPatient(1)]);
  const second = await run(good, ...args, "--json");
  expect(second).toMatchObject({ code: 0, stderr: "" });
  expect(JSON.parse(second.stdout)).toMatchObject({ read: 1, created: 0, unchanged: 1, refused: 0, refusals: [] });
}, 60_000);
