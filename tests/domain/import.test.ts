import { beforeEach, describe, expect, test } from "vitest";
import { importLegacyFile } from "@/lib/migration/import/import-file";
import { withAdvisoryLock } from "@/lib/platform/db/advisory-lock";
import { db, sql } from "@/lib/platform/db/sql";
import { type Basics, call, seedBasics, seedPhysician, seedPractice, tokenFor } from "../support/api";
import {
  COMPANIES,
  countStores,
  expectImagesComplete,
  expectStoresEqual,
  findSampleExport,
  legacyCard,
  legacyInsurance,
  legacyPatient,
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
    expect(await db.rows(sql`SELECT id FROM replication_event WHERE practice_id = ${practiceId}`)).toEqual([]);
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
    await withAdvisoryLock({ name, taken: "", waitMs: 0 }, async () => {
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
  expect(rest.refusals).toEqual([{ line: 4, reason: "is not JSON in UTF-8" }]);
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
