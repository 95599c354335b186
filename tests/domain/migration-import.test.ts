// Converting an export in a practice that has none of its patients, and converting the same export again.
import { beforeEach, describe, expect, test } from "vitest";
import { db, sql } from "@/lib/platform/db/sql";
import { owner } from "@/tests/support/owner";
import { type Basics, call, seedBasics, seedPhysician, tokenFor } from "../support/api";
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
import {
  convert,
  createCheckedRun,
  findingsOf,
  recordsOf,
  seedMigratingPractice,
  skipErrors,
  verify,
} from "../support/migration-runs";
import { expectStoresAgree } from "../support/stores";

let basics: Basics;
let practiceId: number;
let companies: string;

beforeEach(async () => {
  basics ??= await seedBasics();
  practiceId = await seedMigratingPractice(basics.organization);
  companies = writeLines("companies.ndjson", COMPANIES);
});

type Lines = Parameters<typeof writeLines>[1];

/** Converts an export, leaving out records with errors. @returns the run's records */
async function convertFile(file: string, from = companies) {
  const runId = await createCheckedRun(practiceId, file, { companies: from });
  await skipErrors(practiceId, runId);
  await convert(practiceId, runId);
  return { runId, records: await recordsOf(runId) };
}

const convertLines = (lines: Lines) => convertFile(writeLines("patients.ndjson", lines));
const statesOf = ({ records }: { records: readonly { verdict: string; state: string }[] }) =>
  records.map(({ verdict, state }) => `${verdict} ${state}`);

async function patientIds(): Promise<number[]> {
  const rows = await db.rows<{ id: number }>(sql`SELECT id FROM patient WHERE practice_id = ${practiceId} ORDER BY id`);
  return rows.map(({ id }) => id);
}

describe("a record that can be converted", () => {
  test("becomes a patient with legacy records, policies, history and cards, equal in both stores", async () => {
    const run = await convertLines([legacyPatient(1, { insurance_cards: [await legacyCard(1)] }), legacyPatient(2)]);
    expect(statesOf(run)).toEqual(["create converted", "create converted"]);
    const stored = { patients: 2, active: 2, archived: 4, current: 2, past: 4, cards: 2 };
    expect(await countStores(practiceId)).toEqual(stored);
    await expectStoresEqual(practiceId);
    await expectImagesComplete();
    for (const id of await patientIds()) await expectStoresAgree(id);
  });

  test("keeps the dates of its legacy records as the dates of history", async () => {
    await convertLines([legacyPatient(1)]);
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
    const run = await convertLines([
      legacyPatient(1, { insurances: [legacyInsurance(10, { ...blank, rank: " Primary ", created_date: null })] }),
    ]);
    expect(statesOf(run)).toEqual(["create converted"]);
    await expectStoresEqual(practiceId);
  });

  test("may be what this API returns", async () => {
    await convertLines([legacyPatient(1)]);
    const token = await tokenFor({ organizationId: basics.organization, practices: [practiceId] });
    const { body } = await call("GET", `patients/${(await patientIds())[0]}`, { token });
    const file = writeLines("own.ndjson", [body]);
    const { body: own } = await call("GET", "insurance_companies", { token });
    practiceId = await seedMigratingPractice(basics.organization);
    const run = await convertFile(file, writeLines("own-companies.ndjson", own.results));
    expect(statesOf(run)).toEqual(["create converted"]);
    expect(await countStores(practiceId)).toMatchObject({ patients: 1, active: 1, archived: 2 });
  });

  test("goes to its physician if the practice knows the id, otherwise to the first one", async () => {
    const known = await seedPhysician(practiceId);
    await db.run(sql`UPDATE physician SET external_id = 131074 WHERE id = ${known}`);
    await convertLines([legacyPatient(1), legacyPatient(2, { primary_physician: 9 })]);
    const rows = await db.rows<{ id: number }>(
      sql`SELECT primary_physician_id AS id FROM patient WHERE practice_id = ${practiceId} ORDER BY external_id`,
    );
    expect(rows[0]?.id).toBe(known);
    expect(rows[1]?.id).not.toBe(known);
  });
});

describe("a second run", () => {
  test("finds everything unchanged", async () => {
    const lines = [legacyPatient(1, { insurance_cards: [await legacyCard(1)] }), legacyPatient(2)];
    await convertLines(lines);
    const before = await countStores(practiceId);
    expect(statesOf(await convertLines(lines))).toEqual(["unchanged converted", "unchanged converted"]);
    expect(await countStores(practiceId)).toEqual(before);
    await expectImagesComplete();
  });

  test("doesn't depend on the order of a record's fields", async () => {
    const patient = legacyPatient(1);
    await convertLines([patient]);
    const reordered = Object.fromEntries(Object.entries(patient).reverse());
    expect(statesOf(await convertLines([reordered]))).toEqual(["unchanged converted"]);
  });

  test("updates a payer that only runs have written, and leaves one that was edited here", async () => {
    await convertLines([legacyPatient(1)]);
    const edited = await db.first<{ id: number }>(
      sql`SELECT id FROM insurance_company WHERE practice_id = ${practiceId} AND external_id = 5001`,
    );
    const token = await tokenFor({ organizationId: basics.organization, practices: [practiceId] });
    await call("PATCH", `insurance_companies/${edited?.id}`, { token, body: { city: "Here" } });
    companies = writeLines(
      "companies.ndjson",
      COMPANIES.map((company) => ({ ...company, city: "Elsewhere" })),
    );
    await convertLines([legacyPatient(1)]);
    const cities = await db.rows(
      sql`SELECT city FROM insurance_company WHERE practice_id = ${practiceId} ORDER BY external_id`,
    );
    expect(cities).toEqual([{ city: "Elsewhere" }, { city: "Here" }]);
  });
});

describe("an invalid record is rejected with its number and reason, and the others are converted", () => {
  const insurance = (fields: Record<string, unknown>) => ({ insurances: [legacyInsurance(20, fields)] });
  const past = (fields: Record<string, unknown>) => ({ deleted_insurances: [pastInsurance(20, fields)] });
  const card = (base64_content: string) => ({ insurance_cards: [{ rank: 1, images: [{ side: 1, base64_content }] }] });
  const bad: [what: string, fields: Record<string, unknown>, code: string][] = [
    ["no id", { id: undefined }, "patient_id_invalid"],
    ["blank name", { first_name: "  " }, "patient_identity_missing"],
    ["born in the future", { dob: "2999-01-01" }, "patient_dob_invalid"],
    ["NUL in a text", { notes: "a\u0000b" }, "text_unstorable"],
    ["half a character", { last_name: "a\ud800" }, "text_unstorable"],
    ["unknown rank", insurance({ rank: "fourth" }), "rank_unknown"],
    ["blank rank", insurance({ rank: " " }), "rank_missing"],
    [
      "two insurances of one rank",
      { insurances: [legacyInsurance(20), legacyInsurance(21)], deleted_insurances: [] },
      "rank_duplicate",
    ],
    ["dates in disorder", insurance({ end_date: "2000-01-01" }), "date_order"],
    ["no payer", insurance({ carrier: " ", insurance_company: null }), "carrier_missing"],
    ["unknown payer", insurance({ insurance_company: 77 }), "company_unknown"],
    ["too long", insurance({ member_id: "x".repeat(51) }), "field_too_long"],
    ["too many digits", insurance({ copay: "123456789" }), "decimal_invalid"],
    ["id given twice", past({ id: 20 }), "insurance_id_twice"],
    ["no end", past({ id: 29, deleted_date: null, end_date: null }), "past_end_missing"],
    ["ended before it began", past({ id: 29, deleted_date: "2009-01-01T00:00:00Z" }), "past_date_order"],
    ["card that is not an image", card("bm90IGFuIGltYWdl"), "card_unreadable"],
    ["card that is not base64", card("%%%"), "card_unreadable"],
  ];
  test.each(bad)("%s", async (_what, fields, code) => {
    const { runId, records } = await convertLines([legacyPatient(1), "", legacyPatient(2, fields), legacyPatient(3)]);
    // An error of a past insurance alone leaves out that insurance, not the patient.
    const second = "deleted_insurances" in fields && !("insurances" in fields) ? "converted" : "left_out";
    expect(records.map(({ state }) => state)).toEqual(["converted", second, "converted"]);
    const errors = (await findingsOf(runId)).filter(({ severity }) => severity === "error");
    expect(errors.map((finding) => finding.code)).toContain(code);
    await expectStoresEqual(practiceId);
    await expectImagesComplete();
  });

  test("an ID on two records is ambiguous, so neither record is converted", async () => {
    const { records } = await convertLines([
      legacyPatient(1),
      legacyPatient(1),
      legacyPatient(1, { last_name: "Other" }),
      legacyPatient(4, { insurances: [legacyInsurance(10)] }),
    ]);
    expect(records.map(({ state }) => state)).toEqual(["left_out", "left_out", "left_out", "left_out"]);
  });

  test("a record that only the database rejects leaves no image behind and does not affect its neighbors", async () => {
    await owner.run(sql`ALTER TABLE patient ADD CONSTRAINT test_only CHECK (last_name <> 'Unwanted')`);
    const { records } = await convertLines([
      legacyPatient(1),
      legacyPatient(2, { last_name: "Unwanted", insurance_cards: [await legacyCard(2)] }),
      legacyPatient(3, { insurance_cards: [await legacyCard(3)] }),
    ]).finally(() => owner.run(sql`ALTER TABLE patient DROP CONSTRAINT test_only`));
    expect(records.map(({ state }) => state === "converted")).toEqual([true, false, true]);
    expect(await countStores(practiceId)).toMatchObject({ patients: 2, active: 2, archived: 4 });
    await expectImagesComplete();
  });
});

const sample = findSampleExport("legacy-patients");
test.runIf(sample.found)(
  "the sample export: 1,100 patients, 883 active and 3,066 archived policies, twice",
  async () => {
    const first = await convertFile(sample.file, sample.companies);
    expect(new Set(statesOf(first))).toEqual(new Set(["create converted"]));
    const stored = { patients: 1100, active: 883, archived: 3066, current: 883, past: 3066, cards: 200 };
    expect(await countStores(practiceId)).toEqual(stored);
    await expectStoresEqual(practiceId);
    await expectImagesComplete();
    for (const id of (await patientIds()).filter((_, at) => at % 25 === 0)) await expectStoresAgree(id);
    expect(await verify(practiceId, first.runId)).toMatchObject({ records: 1100, different: 0 });
    const second = await convertFile(sample.file, sample.companies);
    expect(new Set(statesOf(second))).toEqual(new Set(["unchanged converted"]));
    expect(await countStores(practiceId)).toEqual(stored);
  },
);
