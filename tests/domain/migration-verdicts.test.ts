// The check predicts what the conversion does with every record and every insurance of any export.
import fs from "node:fs";
import { expect, test } from "vitest";
import { checkFile } from "@/lib/migration/check/check-file";
import { decideFindings } from "@/lib/migration/check/decide";
import { getRunTotals } from "@/lib/migration/runs/run-counts";
import { db, sql } from "@/lib/platform/db/sql";
import { fileSource } from "@/lib/platform/files/source";
import { seedBasics, seedPhysician, seedPractice } from "../support/api";
import { GENERATED_COMPANIES } from "../support/generated-export";
import { pngImage } from "../support/images";
import { expectStoresEqual, writeLines } from "../support/legacy-export";
import {
  acceptFixes,
  convert,
  createCheckedRun,
  findingsOf,
  type LegacyInsurance,
  type RecordRow,
  readLegacyInsurances,
  recordsOf,
  requestFor,
  seedMigratingPractice,
  verify,
} from "../support/migration-runs";
import { changeExport, generateOddPatients, LATER_COMPANIES, linesOf, type Patient } from "../support/odd-export";
import { rounds } from "../support/rounds";
import { snapshot } from "../support/snapshot";
import { expectStoresAgree } from "../support/stores";

const SEED = Number(process.env.PROPERTY_SEED ?? Date.now() % 2 ** 31);
const RECORDS = rounds(500);
/** The number in the second file, which is converted patient by patient, and in the identical third one. */
const LATER = Math.round(RECORDS / 10);

/** Reads every table except those of the runs; the audit is only counted, because a check audits its reads. */
async function readOtherTables(): Promise<Record<string, string>> {
  const tables = Object.entries(await snapshot()).filter(([name]) => !name.startsWith("migration_"));
  return Object.fromEntries(tables);
}

async function countAudited(): Promise<number> {
  const row = await db.first<{ count: number }>(sql`SELECT count(*) AS count FROM audit_log`);
  return row?.count ?? 0;
}

/** Skips every record with an error, code by code, including errors that skipping adds. */
async function skipByCode(practiceId: number, runId: number): Promise<void> {
  const open = (await findingsOf(runId)).filter(
    ({ severity, decision }) => severity === "error" && decision === "open",
  );
  let brought = 0;
  for (const code of new Set(open.map((finding) => finding.code))) {
    const filter = { code, severity: "error", decision: "open" } as const;
    const decision = { decide: "skip", reason: "Entered by hand later" } as const;
    const { new_errors = 0 } = await decideFindings(requestFor(practiceId), runId, { filter }, decision);
    brought += new_errors;
  }
  if (brought > 0) await skipByCode(practiceId, runId);
}

/** Checks a file, decides on all open findings, converts, and compares the predictions with the results. */
async function expectVerdictsHold(practiceId: number, lines: readonly string[], companies: typeof LATER_COMPANIES) {
  const file = writeLines("patients.ndjson", lines);
  const companiesFile = writeLines("companies.ndjson", companies);
  const [untouched, audited] = [await readOtherTables(), await countAudited()];
  const runId = await createCheckedRun(practiceId, file, { companies: companiesFile });
  const refused = (await recordsOf(runId)).filter(({ verdict }) => verdict === "refused").map(({ number }) => number);
  await acceptFixes(practiceId, runId);
  await skipByCode(practiceId, runId);
  expect(await readOtherTables(), "a check, and decisions on it, write nothing").toEqual(untouched);
  expect(await countAudited()).toBe(audited);

  const before = await readLegacyInsurances(practiceId);
  const planned = await recordsOf(runId);
  const codes = new Set((await findingsOf(runId)).map(({ code }) => code));
  await expectTotals(runId, planned, lines);
  await convert(practiceId, runId);
  const after = await readLegacyInsurances(practiceId);

  const done = await recordsOf(runId);
  const states = done.map(({ number, verdict, state }) => [number, verdict, state]);
  const expected = planned.map(({ number, verdict }) => [
    number,
    verdict,
    verdict === "refused" ? "left_out" : "converted",
  ]);
  expect(
    states.filter((state, at) => String(state) !== String(expected[at])),
    "nothing is stale",
  ).toEqual([]);
  expect(wrongVerdicts(planned, { before, after })).toEqual([]);
  await expectStoresEqual(practiceId);
  await expectNoStrayImages(practiceId);

  const verification = await verify(practiceId, runId);
  expect(
    (await recordsOf(runId)).flatMap(({ external_id, differences }) =>
      (differences ?? []).map((one) => [external_id, one]),
    ),
  ).toEqual([]);
  expect(verification).toMatchObject({ different: 0 });
  return { runId, planned, codes, done, refused, lines };
}

/** Expects `crosswalk check`, which knows no practice, and a run into an empty practice to reject the same records. */
async function expectSameElsewhere(
  organization: number,
  { refused, lines }: { refused: readonly number[]; lines: readonly string[] },
) {
  const found: number[] = [];
  const file = writeLines("patients-elsewhere.ndjson", lines);
  const companiesFile = writeLines("companies-elsewhere.ndjson", GENERATED_COMPANIES);
  const source = await fileSource(file);
  for await (const checked of checkFile({ source, companies: GENERATED_COMPANIES, asOf: "2025-10-01" })) {
    const isError = "reason" in checked || checked.findings.some(({ severity }) => severity === "error");
    if (isError) found.push(checked.line);
  }
  expect(found, "the command").toEqual(refused);
  const practiceId = await seedMigratingPractice(organization);
  const runId = await createCheckedRun(practiceId, file, { companies: companiesFile });
  const rejected = (await recordsOf(runId)).filter(({ verdict }) => verdict === "refused");
  expect(
    rejected.map(({ number }) => number),
    "a run into an empty practice",
  ).toEqual(refused);
}

/** Lists planned insurances with another result, and unplanned ones that changed. */
function wrongVerdicts(
  planned: readonly RecordRow[],
  { before, after }: { before: Map<string, LegacyInsurance>; after: Map<string, LegacyInsurance> },
): unknown[] {
  const wrong: unknown[] = [];
  const seen = new Set<string>();
  for (const { external_id, plan } of planned) {
    for (const { id, verdict, changes } of plan?.insurances ?? []) {
      const key = `${external_id} ${id}`;
      seen.add(key);
      const what = whatHappened(before.get(key), after.get(key));
      const isSame =
        what.verdict === verdict && (what.fields === null || String(what.fields) === String([...changes].sort()));
      if (!isSame) wrong.push([key, { said: verdict, changes }, what]);
    }
  }
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    if (seen.has(key)) continue;
    const [was, is] = [before.get(key), after.get(key)].map((held) => JSON.stringify(held));
    if (was !== is) wrong.push([key, "nothing was said", { was, is }]);
  }
  return wrong;
}

/** Returns what a conversion did to an insurance, from the two states. */
function whatHappened(was: LegacyInsurance | undefined, is: LegacyInsurance | undefined) {
  if (!is) return { verdict: was ? "removed" : "nothing", fields: null };
  if (!was) return { verdict: is.isCurrent ? "create" : "archive", fields: null };
  if (was.isCurrent && !is.isCurrent) return { verdict: "archive", fields: null };
  const fields = Object.keys(is.fields).filter((field) => String(was.fields[field]) !== String(is.fields[field]));
  // Cards follow the ranks; one is added if its image was on no insurance before.
  const added =
    is.cards.length > 0 && is.fields.rank === was.fields.rank && is.cards.some((card) => !was.cards.includes(card));
  const all = [...fields, ...(added ? ["card_images"] : [])].sort();
  // After a change of rank, the insurance alone does not show which cards moved and which were added.
  const isComplete = !fields.includes("rank");
  return { verdict: all.length > 0 ? "update" : "unchanged", fields: isComplete ? all : null };
}

async function expectTotals(runId: number, planned: readonly RecordRow[], lines: readonly string[]): Promise<void> {
  const totals = await getRunTotals(runId);
  expect(planned.length, "each line is a record").toBe(lines.length);
  const sum = ({ create, update, unchanged, archive, refused }: typeof totals.patients) =>
    create + update + unchanged + archive + refused;
  expect([totals.patients.records, sum(totals.patients)]).toEqual([lines.length, lines.length]);
  const insurancesOf = (line: string): number => {
    const isObject = (one: unknown) => typeof one === "object" && one !== null && !Array.isArray(one);
    const lists = ({ insurances, deleted_insurances }: Patient) => [insurances ?? [], deleted_insurances ?? []];
    try {
      const record = JSON.parse(line) as Patient;
      // A line with invalid lists can't be read.
      if (!isObject(record) || !lists(record).every((list) => Array.isArray(list) && list.every(isObject))) return 0;
      return lists(record).flat().length;
    } catch {
      return 0;
    }
  };
  const gone = planned.flatMap(({ plan }) => plan?.insurances.filter(({ list }) => list === "here") ?? []);
  const counted = lines.reduce((total, line) => total + insurancesOf(line), gone.length);
  expect([totals.insurances.records, sum(totals.insurances)]).toEqual([counted, counted]);
  const { verified, convertible, person, refused } = totals.readiness;
  expect(verified + convertible + person + refused).toBe(lines.length);
  expect(totals.blocked, "every open finding is decided").toEqual({ records: 0, findings: 0 });
}

/** Expects the store to have exactly the images that records name. */
async function expectNoStrayImages(practiceId: number): Promise<void> {
  const rows = await db.rows<{ image_key: string }>(sql`
    SELECT c.image_key FROM legacy_card c JOIN patient p ON p.id = c.patient_id WHERE p.practice_id = ${practiceId}
    UNION SELECT g.image_key FROM policy_card_image g JOIN policy p ON p.id = g.policy_id WHERE p.practice_id = ${practiceId}`);
  const files = fs.readdirSync(process.env.IMAGE_STORE_DIR as string, { recursive: true, withFileTypes: true });
  const stored = files.filter((entry) => entry.isFile()).map(({ name }) => name);
  expect(rows.length).toBeGreaterThan(0);
  expect(stored.sort()).toEqual(rows.map(({ image_key }) => image_key).sort());
}

test(`every verdict matches the conversion (PROPERTY_SEED=${SEED})`, async () => {
  console.info(`PROPERTY_SEED=${SEED}, ${RECORDS} records`);
  const basics = await seedBasics();
  const practiceId = await seedPractice(basics.organization, "Migrating", true);
  await seedPhysician(practiceId);
  const images = await Promise.all(
    Array.from({ length: 12 }, async (_, at) => (await pngImage(at)).toString("base64")),
  );
  const patients = generateOddPatients({ records: RECORDS - 2 * LATER, seed: SEED, images });

  const first = await expectVerdictsHold(practiceId, linesOf(patients), GENERATED_COMPANIES);
  const verdicts = new Set(first.planned.map(({ verdict }) => verdict));
  expect([...verdicts].sort()).toEqual(["create", "refused"]);
  console.info(`first: ${first.planned.length} records, codes ${[...first.codes].sort().join(" ")}`);

  const later = linesOf(changeExport(patients.slice(0, LATER), { seed: SEED, images }));
  const { planned, done } = await expectVerdictsHold(practiceId, [...later], LATER_COMPANIES);
  const count = (wanted: string) => planned.filter(({ verdict }) => verdict === wanted).length;
  console.info(["create", "update", "unchanged", "archive", "refused"].map((one) => `${one} ${count(one)}`).join(", "));
  const changed = done.filter(({ outcome, patient_id }) => patient_id && outcome && !outcome.created);
  expect(changed.length).toBeGreaterThan(LATER / 20);
  for (const { patient_id } of changed.slice(0, 60)) await expectStoresAgree(patient_id as number);

  const settled = await readOtherTables();
  const again = await expectVerdictsHold(practiceId, later, LATER_COMPANIES);
  const unsettled = again.planned.filter(({ verdict, plan }) =>
    plan ? plan.insurances.some((one) => one.verdict !== "unchanged") : verdict !== "refused",
  );
  expect(unsettled.map(({ external_id, plan }) => [external_id, JSON.stringify(plan)])).toEqual([]);
  expect(await readOtherTables(), "a file that was already converted changes nothing").toEqual(settled);
  await expectSameElsewhere(basics.organization, first);
});
