import fs from "node:fs";
import { beforeEach, describe, expect, test } from "vitest";
import { exclusively } from "@/lib/db/exclusive";
import { db, sql } from "@/lib/db/sql";
import { importLegacyFile } from "@/lib/migration/commands/import-file";
import { type Basics, call, seedBasics, seedPhysician, seedPractice } from "../support/api";
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
import { expectInStep } from "../support/sides";
import { snapshot } from "../support/snapshot";

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

async function patientIds(): Promise<number[]> {
  const rows = await db.rows<{ id: number }>(sql`SELECT id FROM patient WHERE practice_id = ${practiceId} ORDER BY id`);
  return rows.map(({ id }) => id);
}

describe("a line that can be imported", () => {
  test("becomes a patient with legacy records, policies, history and cards, equal on both sides", async () => {
    const report = await importLines([legacyPatient(1, { insurance_cards: [await legacyCard(1)] }), legacyPatient(2)]);
    expect(report).toMatchObject({ read: 2, created: 2, unchanged: 0, refused: 0, refusals: [], finished: true });
    expect(report).toMatchObject({ active_policies: 2, archived_policies: 4, card_images: 2 });
    expect(report.companies).toMatchObject({ read: 2, created: 2, updated: 0, unchanged: 0, refused: 0 });
    expect(await countStores(practiceId)).toEqual({
      patients: 2,
      active: 2,
      archived: 4,
      current: 2,
      past: 4,
      cards: 2,
    });
    await expectStoresEqual(practiceId);
    await expectImagesComplete();
    for (const id of await patientIds()) await expectInStep(id);
  });

  test("keeps the dates of its legacy records as the dates of history", async () => {
    await importLines([legacyPatient(1)]);
    const versions = await db.rows(sql`
      SELECT p.status, p.archive_reason, v.version, v.kind, v.source, v.occurred_date FROM policy_version v
      JOIN policy p ON p.id = v.policy_id JOIN patient_insurance i ON i.policy_id = p.id
      WHERE p.practice_id = ${practiceId} AND i.external_id IN (10, 11) ORDER BY i.external_id, v.version`);
    const current = { status: "active", archive_reason: null, source: "migration" };
    const past = { status: "archived", archive_reason: "imported_history", source: "migration" };
    expect(versions).toEqual([
      { ...current, version: 1, kind: "created", occurred_date: "2015-01-02T09:00:00.000Z" },
      { ...past, version: 1, kind: "created", occurred_date: "2010-01-01T09:00:00.000Z" },
      { ...past, version: 2, kind: "archived", occurred_date: "2014-12-31T09:00:00.000Z" },
    ]);
    const kinds = await db.rows(sql`SELECT v.kind, v.source, v.version FROM patient_version v
      JOIN patient p ON p.id = v.patient_id WHERE p.practice_id = ${practiceId}`);
    expect(kinds).toEqual([{ kind: "created", source: "migration", version: 1 }]);
    expect(await db.rows(sql`SELECT id FROM sync_event WHERE practice_id = ${practiceId}`)).toEqual([]);
  });

  test("may leave dates, amounts and relationship blank, and write ranks loosely", async () => {
    const blank = { copay: " ", deductible: "", start_date: "", end_date: " ", relationship_to_insured: "" };
    const report = await importLines([
      legacyPatient(1, { insurances: [legacyInsurance(10, { ...blank, rank: " Primary ", created_date: null })] }),
    ]);
    expect(report).toMatchObject({ created: 1, refused: 0 });
    await expectStoresEqual(practiceId);
  });

  test("is what this API itself answers", async () => {
    await importLines([legacyPatient(1)]);
    const { tokenFor } = await import("../support/api");
    const token = await tokenFor({ organisationId: basics.organisation, practices: [practiceId] });
    const { body } = await call("GET", `patients/${(await patientIds())[0]}`, { token });
    const file = writeLines("own.ndjson", [body]);
    const companies = await call("GET", "insurance_companies", { token });
    const own = writeLines("own-companies.ndjson", companies.body.results);
    practiceId = await seedPractice(basics.organisation, "Another", false);
    await seedPhysician(practiceId);
    const report = await importLegacyFile({ practiceId, file, companiesFile: own });
    expect(report.refusals).toEqual([]);
    expect(report).toMatchObject({ created: 1, active_policies: 1, archived_policies: 2 });
  });

  test("goes to its physician where the practice knows the id, else to the first one, and the report says so", async () => {
    const first = await seedPhysician(practiceId);
    await db.run(sql`UPDATE physician SET external_id = 131074 WHERE id = ${first}`);
    const report = await importLines([legacyPatient(1), legacyPatient(2, { primary_physician: 9 })]);
    const rows = await db.rows<{ id: number }>(
      sql`SELECT primary_physician_id AS id FROM patient WHERE practice_id = ${practiceId} ORDER BY external_id`,
    );
    expect(rows[0]?.id).toBe(first);
    expect(rows[1]?.id).not.toBe(first);
    expect(report.notes).toEqual([expect.stringContaining("Physician 9 is unknown")]);
  });
});

describe("a second run", () => {
  test("changes nothing, not a row of any table but its own record", async () => {
    const lines = [legacyPatient(1, { insurance_cards: [await legacyCard(1)] }), legacyPatient(2)];
    await importLines(lines);
    const { import_run: _first, ...before } = await snapshot();
    const report = await importLines(lines);
    const { import_run: _second, ...after } = await snapshot();
    expect(report).toMatchObject({ read: 2, created: 0, unchanged: 2, refused: 0, card_images: 0 });
    expect(report.companies).toMatchObject({ created: 0, updated: 0, unchanged: 2 });
    expect(after).toEqual(before);
  });

  test("leaves alone what was edited here, and does not care how the line is written", async () => {
    const patient = legacyPatient(1);
    await importLines([patient]);
    await db.run(sql`UPDATE patient SET first_name = 'Edited' WHERE practice_id = ${practiceId}`);
    const reordered = Object.fromEntries(Object.entries(patient).reverse());
    expect(await importLines([reordered])).toMatchObject({ unchanged: 1, created: 0, refused: 0 });
    expect(await db.rows(sql`SELECT first_name FROM patient WHERE practice_id = ${practiceId}`)).toEqual([
      { first_name: "Edited" },
    ]);
  });

  test("refuses a line that differs from what was imported", async () => {
    await importLines([legacyPatient(1)]);
    const report = await importLines([legacyPatient(1, { last_name: "Other" }), legacyPatient(2)]);
    expect(report).toMatchObject({ created: 1, unchanged: 0, refused: 1 });
    expect(report.refusals).toEqual([{ line: 1, reason: expect.stringContaining("differs from this line") }]);
  });

  test("updates a company only imports have written, and leaves one that was edited here", async () => {
    await importLines([legacyPatient(1)]);
    const edited = await db.first<{ id: number }>(
      sql`SELECT id FROM insurance_company WHERE practice_id = ${practiceId} AND external_id = 5001`,
    );
    const { tokenFor } = await import("../support/api");
    const token = await tokenFor({ organisationId: basics.organisation, practices: [practiceId] });
    await call("PATCH", `insurance_companies/${edited?.id}`, { token, body: { city: "Here" } });
    companiesFile = writeLines(
      "companies.ndjson",
      COMPANIES.map((company) => ({ ...company, city: "Elsewhere" })),
    );
    const report = await importLines([legacyPatient(1)]);
    expect(report.companies).toMatchObject({ updated: 1, unchanged: 1, created: 0 });
    const cities = await db.rows(
      sql`SELECT city FROM insurance_company WHERE practice_id = ${practiceId} ORDER BY external_id`,
    );
    expect(cities).toEqual([{ city: "Elsewhere" }, { city: "Here" }]);
  });
});

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
      "insurance_cards[0].images[0]: Is not base64.",
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

describe("an import does not begin", () => {
  test("into a practice that is absent or has no physician", async () => {
    const file = writeLines("patients.ndjson", [legacyPatient(1)]);
    const request = { file, companiesFile: null };
    await expect(importLegacyFile({ ...request, practiceId: 999_999 })).rejects.toThrow("No such practice.");
    const empty = await seedPractice(basics.organisation, "Empty", true);
    await expect(importLegacyFile({ ...request, practiceId: empty })).rejects.toThrow("has no physician");
  });

  test("while another import into the practice runs", async () => {
    const file = writeLines("patients.ndjson", [legacyPatient(1)]);
    const name = `import into practice ${practiceId}`;
    await exclusively({ name, taken: "", waitMs: 0 }, async () => {
      await expect(run(file)).rejects.toThrow("Another import into practice");
    });
    expect(await run(file)).toMatchObject({ created: 1 });
  });
});

test("an import that is asked to stop goes on where it stood", async () => {
  const lines = Array.from({ length: 250 }, (_, n) => (n === 3 ? "?" : legacyPatient(n + 1)));
  const file = writeLines("patients.ndjson", lines);
  const stop = new AbortController();
  const stopped = await importLegacyFile({
    practiceId,
    file,
    companiesFile,
    signal: stop.signal,
    onProgress: ({ lines: done }) => done > 0 && stop.abort(),
  });
  expect(stopped).toMatchObject({ finished: false, read: 100, created: 99, refused: 1 });
  const rest = await run(file);
  expect(rest).toMatchObject({ finished: true, resumed_after_line: 100, read: 250, created: 249, refused: 1 });
  expect(rest.refusals).toEqual([{ line: 4, reason: "is not JSON" }]);
  expect(await countStores(practiceId)).toMatchObject({ patients: 249, active: 249, archived: 498 });
});

const sample = findSampleExport("legacy-patients");
test.runIf(sample.found)(
  "the sample export: 1,100 patients, 883 active and 3,066 archived policies",
  async () => {
    const request = { practiceId, file: sample.file, companiesFile: sample.companies };
    const counts = { read: 1100, refused: 0, finished: true };
    const first = await importLegacyFile(request);
    expect(first).toMatchObject({ ...counts, created: 1100, active_policies: 883, archived_policies: 3066 });
    const stored = { patients: 1100, active: 883, archived: 3066, current: 883, past: 3066, cards: 200 };
    expect(await countStores(practiceId)).toEqual(stored);
    await expectStoresEqual(practiceId);
    await expectImagesComplete();
    for (const id of (await patientIds()).filter((_, at) => at % 25 === 0)) await expectInStep(id);
    const { import_run: _first, ...before } = await snapshot();
    const second = await importLegacyFile(request);
    const { import_run: _second, ...after } = await snapshot();
    expect(second).toMatchObject({ ...counts, created: 0, unchanged: 1100 });
    expect(after).toEqual(before);
  },
  120_000,
);

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
