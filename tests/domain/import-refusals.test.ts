import fs from "node:fs";
import { beforeEach, describe, expect, test } from "vitest";
import { db, sql } from "@/lib/db/sql";
import { importLegacyFile } from "@/lib/migration/commands/import-file";
import { type Basics, seedBasics, seedPhysician, seedPractice } from "../support/api";
import {
  COMPANIES,
  countStores,
  expectImagesComplete,
  expectStoresEqual,
  findSampleExport,
  legacyCard,
  legacyInsurance,
  legacyPatient,
  pastInsurance,
  writeLines,
} from "../support/legacy-export";

let basics: Basics;
let practiceId: number;
let companiesFile: string;

beforeEach(async () => {
  basics ??= await seedBasics();
  practiceId = await seedPractice(basics.organisation, "Imported", true);
  await seedPhysician(practiceId);
  companiesFile = writeLines("companies.ndjson", COMPANIES);
});

const run = (file: string) => importLegacyFile({ practiceId, file, companiesFile });
const importLines = (lines: Parameters<typeof writeLines>[1]) => run(writeLines("patients.ndjson", lines));

describe("a bad line is refused with its number and reason, and stops nothing", () => {
  const insurance = (fields: Record<string, unknown>) => ({ insurances: [legacyInsurance(20, fields)] });
  const past = (fields: Record<string, unknown>) => ({ deleted_insurances: [pastInsurance(20, fields)] });
  const bad: [string, Record<string, unknown> | string, string][] = [
    ["not JSON", "{", "is not JSON"],
    ["no object", "[1]", "is not a JSON object"],
    ["no id", { id: undefined }, "id: This field is required."],
    ["blank name", { first_name: "  " }, "first_name: May not be blank."],
    ["born in the future", { dob: "2999-01-01" }, "dob: Lies in the future."],
    ["NUL in a text", { notes: "a\u0000b" }, "notes: May not contain NUL."],
    ["half a character", { last_name: "a\ud800" }, "last_name: Contains half of a surrogate pair."],
    ["unknown rank", insurance({ rank: "fourth" }), "insurances[0].rank: Must be one of"],
    ["blank rank", insurance({ rank: " " }), "insurances[0].rank: Must be one of"],
    [
      "two of one rank",
      { insurances: [legacyInsurance(20), legacyInsurance(21)], deleted_insurances: [] },
      "insurances[1].rank: Another current insurance has this rank.",
    ],
    ["dates in disorder", insurance({ end_date: "2000-01-01" }), "insurances[0].end_date: Must not be before"],
    ["no insurer", insurance({ carrier: " ", insurance_company: null }), "insurances[0].carrier: Names no insurer"],
    ["unknown company", insurance({ insurance_company: 77 }), "insurances[0].insurance_company: No company 77"],
    ["too long", insurance({ member_id: "x".repeat(51) }), "insurances[0].member_id: Must have at most 50"],
    ["too many digits", insurance({ copay: "123456789" }), "insurances[0].copay: Must be a decimal"],
    ["id given twice", past({ id: 20 }), "id: Was given more than once."],
    ["no end", past({ id: 29, deleted_date: null, end_date: null }), "deleted_insurances[0].deleted_date: Is missing"],
    [
      "ended before it began",
      past({ id: 29, deleted_date: "2009-01-01T00:00:00Z" }),
      "deleted_insurances[0].deleted_date: Must not be before created_date.",
    ],
    [
      "card that is no image",
      { insurance_cards: [{ rank: 1, images: [{ side: 1, base64_content: "bm90IGFuIGltYWdl" }] }] },
      "insurance_cards[0].images[0]: Is not a JPEG or PNG image.",
    ],
    [
      "card that is no base64",
      { insurance_cards: [{ rank: 1, images: [{ side: 1, base64_content: "%%%" }] }] },
      "insurance_cards[0].images[0].base64_content: Is not base64.",
    ],
  ];
  test.each(bad)("%s", async (_what, fields, reason) => {
    const line = typeof fields === "string" ? fields : legacyPatient(2, fields);
    const report = await importLines([legacyPatient(1), "", line, legacyPatient(3)]);
    expect(report).toMatchObject({ read: 3, created: 2, refused: 1 });
    expect(report.refusals).toEqual([{ line: 3, reason: expect.stringContaining(reason) }]);
    await expectStoresEqual(practiceId);
    await expectImagesComplete();
  });

  test("a patient or an insurance that stands on two lines", async () => {
    const report = await importLines([
      legacyPatient(1),
      legacyPatient(1),
      legacyPatient(1, { last_name: "Other" }),
      legacyPatient(4, { insurances: [legacyInsurance(10)] }),
    ]);
    expect(report).toMatchObject({ read: 4, created: 1, unchanged: 1, refused: 2 });
    expect(report.refusals.map(({ line }) => line)).toEqual([3, 4]);
  });

  test("what only the database refuses leaves its neighbours in, and no image behind", async () => {
    await db.run(sql`ALTER TABLE patient ADD CONSTRAINT test_only CHECK (last_name <> 'Unwanted')`);
    const report = await importLines([
      legacyPatient(1),
      legacyPatient(2, { last_name: "Unwanted", insurance_cards: [await legacyCard(2)] }),
      legacyPatient(3, { insurance_cards: [await legacyCard(3)] }),
    ]).finally(() => db.run(sql`ALTER TABLE patient DROP CONSTRAINT test_only`));
    expect(report).toMatchObject({ read: 3, created: 2, refused: 1, active_policies: 2, card_images: 2 });
    expect(report.refusals).toEqual([{ line: 2, reason: expect.stringContaining("the database refused it") }]);
    expect(await countStores(practiceId)).toMatchObject({ patients: 2, active: 2, archived: 4 });
    await expectImagesComplete();
  });

  test("a line longer than 64 MiB, and a file without a last line end", async () => {
    const file = writeLines("patients.ndjson", [legacyPatient(1), "x".repeat(64 * 1024 * 1024 + 1)]);
    fs.appendFileSync(file, JSON.stringify(legacyPatient(3)));
    const report = await run(file);
    expect(report).toMatchObject({ read: 3, created: 2, refused: 1 });
    expect(report.refusals).toEqual([{ line: 2, reason: "longer than 64 MiB" }]);
  });

  test("a bad line of the companies file", async () => {
    companiesFile = writeLines("companies.ndjson", [...COMPANIES, { id: 1 }, "?", { ...COMPANIES[0], carrier: "X" }]);
    const { companies } = await importLines([legacyPatient(1)]);
    expect(companies).toMatchObject({ read: 5, created: 2, refused: 3 });
    expect(companies?.refusals.map(({ line }) => line)).toEqual([3, 4, 5]);
  });
});

const damaged = findSampleExport("legacy-patients-damaged");
test.runIf(damaged.found)(
  "the damaged export: what the checks call an error is refused",
  async () => {
    const read = (file: string) =>
      fs
        .readFileSync(file, "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
    const findings = read(damaged.file.replace(".ndjson", ".findings.ndjson"));
    const errors = findings.filter(({ severity }) => severity === "error");
    const patients = read(damaged.file);
    const request = { practiceId, file: damaged.file, companiesFile: damaged.companies };
    const report = await importLegacyFile(request);
    const refused = new Set(report.refusals.map(({ line }) => patients[line - 1].id));
    // Of patients who share the id of an insurance, the first to come keeps it.
    const reused = errors.filter(({ code }) => code === "insurance_id_reused");
    const others = errors.filter(({ code }) => code !== "insurance_id_reused");
    expect(others.filter(({ patient }) => !refused.has(patient))).toEqual([]);
    expect(reused.filter(({ patient }) => refused.has(patient))).toHaveLength(reused.length / 2);
    const known = new Set(errors.map(({ patient }) => patient));
    const besides = report.refusals.filter(({ line }) => !known.has(patients[line - 1].id));
    // The checks look at current insurances; an import keeps past ones too, and these dates can't be kept.
    for (const { reason } of besides) expect(reason).toMatch(/^deleted_insurances/);
    await expectStoresEqual(practiceId);
  },
  120_000,
);
