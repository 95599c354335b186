// Verification finds what was changed directly in the database, and nothing otherwise.
import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { startVerification } from "@/lib/migration/verify/verify-run";
import { workRun } from "@/lib/migration/work/run-worker";
import { db, sql } from "@/lib/platform/db/sql";
import { OverloadedError } from "@/lib/platform/errors";
import { imageStore } from "@/lib/platform/storage/image-store";
import { asOwner } from "@/tests/support/owner";
import { type Basics, seedBasics, seedPhysician, seedPractice } from "../support/api";
import { DIFFERENCES, type Place } from "../support/injected-differences";
import {
  COMPANIES,
  legacyCard,
  legacyInsurance,
  legacyPatient,
  pastInsurance,
  writeLines,
} from "../support/legacy-export";
import {
  convert,
  createCheckedRun,
  recordsOf,
  requestFor,
  seedMigratingPractice,
  verify,
} from "../support/migration-runs";

let basics: Basics;
let practiceId: number;
beforeAll(async () => {
  basics = await seedBasics();
  practiceId = await seedPractice(basics.organization, "Migrating", true);
  await seedPhysician(practiceId);
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** Builds patient number n of the file; after each one there is a patient who stays unchanged. */
async function recordOf(n: number) {
  const insurances = [
    legacyInsurance(10 * n),
    legacyInsurance(10 * n + 1, { rank: "secondary", carrier: "Aetna", insurance_company: 5001 }),
  ];
  const deleted_insurances = [pastInsurance(10 * n + 2, { rank: "tertiary" })];
  return legacyPatient(n, { insurances, deleted_insurances, insurance_cards: [await legacyCard(n)] });
}

async function placeOf(number: number, patient: number, other: number): Promise<Place> {
  const rows = await db.rows<Place["primary"]>(sql`
    SELECT id AS insurance, policy_id AS policy FROM patient_insurance WHERE patient_id = ${patient} ORDER BY external_id`);
  const card = await db.first<{ image_key: string }>(
    sql`SELECT image_key FROM legacy_card WHERE patient_id = ${patient} AND rank = 1 AND side = 1`,
  );
  const [primary, secondary, past] = rows as [Place["primary"], Place["primary"], Place["primary"]];
  return { number, practice: practiceId, patient, other, primary, secondary, past, image: card?.image_key as string };
}

test(`${DIFFERENCES.length} direct changes in the database are found, each by its field, and no others`, async () => {
  expect(DIFFERENCES.length).toBeGreaterThanOrEqual(50);
  const numbers = DIFFERENCES.flatMap((_, at) => [2 * at + 1, 2 * at + 2]);
  const file = writeLines("patients.ndjson", await Promise.all(numbers.map(recordOf)));
  const companies = writeLines("companies.ndjson", COMPANIES);
  const runId = await createCheckedRun(practiceId, file, { companies });
  await convert(practiceId, runId);
  const verification = await verify(practiceId, runId);
  expect(verification).toEqual({
    records: numbers.length,
    changed_since: 0,
    policies: 3 * numbers.length,
    different: 0,
    images: 2 * numbers.length,
    images_read: 2 * numbers.length,
  });
  const patients = (await recordsOf(runId)).map(({ patient_id }) => patient_id as number);

  const expected: Record<string, string> = {};
  for (const [at, { what, where, field, write }] of DIFFERENCES.entries()) {
    const place = await placeOf(2 * at + 1, patients[2 * at] as number, patients[2 * at + 1] as number);
    const statements = await write(place);
    await asOwner(async (tx) => {
      // The owner of the database bypasses triggers and foreign keys.
      await tx.run(sql`SET LOCAL session_replication_role = replica`);
      for (const statement of statements) await tx.run(statement);
    });
    expected[what] = `${where(place)} ${field}`;
  }
  const after = await verify(practiceId, runId);
  const records = await recordsOf(runId);
  const found = Object.fromEntries(
    DIFFERENCES.map(({ what }, at) => {
      const all = (records[2 * at]?.differences ?? []).map(({ where, field }) => `${where} ${field}`);
      const wanted = expected[what] as string;
      return [what, all.includes(wanted) ? wanted : all];
    }),
  );
  expect(found).toEqual(expected);
  const untouched = records.filter((_, at) => at % 2 === 1);
  expect(
    untouched.filter(({ state }) => state !== "verified").map((record) => [record.number, record.differences]),
  ).toEqual([]);
  expect(after).toMatchObject({ records: numbers.length, different: DIFFERENCES.length });
});

test("a verification waits for the image store, and reads an image again that fails once", async () => {
  const practice = await seedMigratingPractice(basics.organization);
  const companies = writeLines("companies.ndjson", COMPANIES);
  const run = await createCheckedRun(practice, writeLines("waiting.ndjson", [await recordOf(1)]), { companies });
  await convert(practice, run);
  await startVerification(requestFor(practice), run);
  const outage = new OverloadedError(undefined, "no store", { reason: "image_store_unavailable" });
  const reads = vi.spyOn(imageStore(), "get").mockRejectedValue(outage);
  const checks = vi.spyOn(imageStore(), "check").mockRejectedValue(outage);
  await expect(workRun(run)).rejects.toBe(outage);
  expect(await db.rows(sql`SELECT state, done, error FROM migration_run WHERE id = ${run}`)).toEqual([
    { state: "verifying", done: 0, error: "no store" },
  ]);
  checks.mockRestore();
  reads.mockRestore();
  vi.spyOn(imageStore(), "get").mockRejectedValueOnce(outage);
  expect(await workRun(run)).toMatchObject({ state: "verified", error: null, verification: { different: 0 } });
});
