import fs from "node:fs";
import { beforeEach, describe, expect, test } from "vitest";
import { importLegacyFile } from "@/lib/migration/import/import-file";
import { sql } from "@/lib/platform/db/sql";
import { owner } from "@/tests/support/owner";
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
    ["no id", { id: undefined }, "patient_id_invalid: id: This field is required"],
    ["blank name", { first_name: "  " }, "patient_identity_missing: first_name: missing"],
    ["born in the future", { dob: "2999-01-01" }, "patient_dob_invalid: dob: lies after"],
    ["NUL in a text", { notes: "a\u0000b" }, "text_unstorable: notes: May not contain NUL"],
    ["half a character", { last_name: "a\ud800" }, "text_unstorable: last_name: Contains half of a surrogate pair"],
    ["unknown rank", insurance({ rank: "fourth" }), "rank_unknown (insurance 20): rank: none of primary"],
    ["blank rank", insurance({ rank: " " }), "rank_missing (insurance 20): rank: missing"],
    [
      "two of one rank",
      { insurances: [legacyInsurance(20), legacyInsurance(21)], deleted_insurances: [] },
      "rank_duplicate (insurance 21): rank: an earlier current insurance is primary too",
    ],
    [
      "dates in disorder",
      insurance({ end_date: "2000-01-01" }),
      "date_order (insurance 20): end_date: before start_date",
    ],
    [
      "no insurer",
      insurance({ carrier: " ", insurance_company: null }),
      "carrier_missing (insurance 20): carrier: missing",
    ],
    [
      "unknown company",
      insurance({ insurance_company: 77 }),
      "company_unknown (insurance 20): insurance_company: no company 77",
    ],
    ["too long", insurance({ member_id: "x".repeat(51) }), "field_too_long (insurance 20): member_id: longer than 50"],
    ["too many digits", insurance({ copay: "123456789" }), "decimal_invalid (insurance 20): copay: no decimal"],
    [
      "id given twice",
      past({ id: 20 }),
      "insurance_id_twice (past insurance 20): id: 20 is the id of another insurance of the patient",
    ],
    [
      "no end",
      past({ id: 29, deleted_date: null, end_date: null }),
      "past_end_missing (past insurance 29): deleted_date: Is missing",
    ],
    [
      "ended before it began",
      past({ id: 29, deleted_date: "2009-01-01T00:00:00Z" }),
      "past_date_order (past insurance 29): deleted_date: Must not be before created_date",
    ],
    [
      "card that is no image",
      { insurance_cards: [{ rank: 1, images: [{ side: 1, base64_content: "bm90IGFuIGltYWdl" }] }] },
      "card_unreadable: Card of rank 1: an image is no PNG or JPEG",
    ],
    [
      "card that is no base64",
      { insurance_cards: [{ rank: 1, images: [{ side: 1, base64_content: "%%%" }] }] },
      "card_unreadable: Card of rank 1: an image is no PNG or JPEG",
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
    // Of an id on several current insurances nobody can tell whose it is: as the checks say, none of them is imported.
    expect(report).toMatchObject({ read: 4, created: 0, refused: 4 });
    for (const { reason } of report.refusals) expect(reason).toContain("insurance_id_reused (insurance 10)");
    expect(report.refusals[1]?.reason).toContain("patient_id_repeated: id: line 1 has the same patient id");
  });

  test("what only the database refuses leaves its neighbors in, and no image behind", async () => {
    await owner.run(sql`ALTER TABLE patient ADD CONSTRAINT test_only CHECK (last_name <> 'Unwanted')`);
    const report = await importLines([
      legacyPatient(1),
      legacyPatient(2, { last_name: "Unwanted", insurance_cards: [await legacyCard(2)] }),
      legacyPatient(3, { insurance_cards: [await legacyCard(3)] }),
    ]).finally(() => owner.run(sql`ALTER TABLE patient DROP CONSTRAINT test_only`));
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
    expect([...refused].sort()).toEqual([...new Set(errors.map(({ patient }) => patient))].sort());
    expect(report.created + refused.size).toBe(patients.length);
    await expectStoresEqual(practiceId);
  },
  120_000,
);
