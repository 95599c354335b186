// Verification compares every field that a conversion writes: a direct change in the database is found by its field,
// and an untouched conversion has no differences.
import fc from "fast-check";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { listRowHashes } from "@/lib/insurance/commands/imported-rows";
import { INSURANCE_FIELDS } from "@/lib/insurance/fields/fields";
import { DETAIL_FIELDS } from "@/lib/insurance/patients/schema";
import { db, sql } from "@/lib/platform/db/sql";
import {
  type Alteration,
  type ConvertedPatient,
  columnAlterations,
  demographicAlterations,
  dropChecks,
  historyAlterations,
} from "../support/altered-fields";
import { type Basics, call, seedBasics, seedPhysician, seedPractice, tokenFor } from "../support/api";
import { anyDemographics, anyInsurance, filledDemographics, filledInsurance } from "../support/filled-records";
import {
  COMPANIES,
  legacyCard,
  legacyInsurance,
  legacyPatient,
  pastInsurance,
  writeLines,
} from "../support/legacy-export";
import { convert, createCheckedRun, recordsOf, skipErrors, verify } from "../support/migration-runs";
import { asOwner } from "../support/owner";
import { rounds } from "../support/rounds";

const SEED = Number(process.env.PROPERTY_SEED ?? Date.now() % 2 ** 31);
const RUNS = rounds(100);

let basics: Basics;
let practiceId: number;
let token: string;
beforeAll(async () => {
  basics = await seedBasics();
});
beforeEach(async () => {
  practiceId = await seedPractice(basics.organization, "Migrating", true);
  await seedPhysician(practiceId);
  token = await tokenFor({ organizationId: basics.organization, practices: [practiceId] });
});

/** Builds patient number n with every field filled: a current and a past insurance, and optionally a card. */
async function filledPatient(n: number, withCards: boolean) {
  const fields = filledInsurance();
  return legacyPatient(n, {
    ...filledDemographics(),
    created_date: "2015-01-02T09:00:00Z",
    insurances: [legacyInsurance(10 * n, fields)],
    deleted_insurances: [pastInsurance(10 * n + 1, { ...fields, end_date: "2019-12-31", created_date: null })],
    insurance_cards: withCards ? [await legacyCard(n)] : [],
  });
}

async function convertAll(patients: readonly Record<string, unknown>[]): Promise<{ runId: number; ids: number[] }> {
  const file = writeLines("patients.ndjson", patients);
  const runId = await createCheckedRun(practiceId, file, { companies: writeLines("companies.ndjson", COMPANIES) });
  await skipErrors(practiceId, runId);
  await convert(practiceId, runId);
  return { runId, ids: (await recordsOf(runId)).flatMap(({ patient_id }) => patient_id ?? []) };
}

async function placeOf(patient: number): Promise<ConvertedPatient> {
  const rows = await db.rows<ConvertedPatient["current"]>(sql`
    SELECT id AS insurance, policy_id AS policy FROM patient_insurance WHERE patient_id = ${patient} ORDER BY external_id`);
  const [current, past] = rows as [ConvertedPatient["current"], ConvertedPatient["current"]];
  return { patient, current, past };
}

async function alter(alteration: Alteration, patient: number): Promise<void> {
  const statements = alteration.write(await placeOf(patient));
  await asOwner(async (tx) => {
    await tx.run(sql`SET LOCAL session_replication_role = replica`);
    for (const statement of statements) expect(await tx.run(statement), alteration.what).toBeGreaterThan(0);
  });
}

const fieldsFound = async (runId: number) => {
  const records = await recordsOf(runId);
  return new Map(records.map((record) => [record.number, (record.differences ?? []).map(({ field }) => field)]));
};

/** Lists every possible change to what a conversion stores for a patient with all fields filled. */
async function alterations(): Promise<Alteration[]> {
  const { ids } = await convertAll([await filledPatient(999_999, false)]);
  const stored = await db.first<{ details: Record<string, unknown>; phones: unknown[] }>(
    sql`SELECT details, phones FROM patient WHERE id = ${ids[0]}`,
  );
  const version = await db.first<{ snapshot: Record<string, unknown> }>(
    sql`SELECT snapshot FROM policy_version WHERE patient_id = ${ids[0]} LIMIT 1`,
  );
  const { details, phones } = stored ?? { details: {}, phones: [] };
  expect(Object.keys(details).sort(), "every detail is filled").toEqual([...DETAIL_FIELDS].sort());
  expect(phones.length).toBeGreaterThan(1);
  const columns = await columnAlterations();
  const history = historyAlterations(Object.keys(details), version?.snapshot ?? {});
  return [...columns, ...demographicAlterations(details, phones), ...history];
}

test("every field that a conversion writes is compared: a direct change in the database is reported by its field", async () => {
  const all = await alterations();
  expect(all.length).toBeGreaterThan(2 * INSURANCE_FIELDS.length + 2 * DETAIL_FIELDS.length);
  practiceId = await seedPractice(basics.organization, "Altered", true);
  await seedPhysician(practiceId);
  const patients = await Promise.all(all.map(({ needsCards }, at) => filledPatient(at + 1, needsCards)));
  const untouched = [await filledPatient(all.length + 1, true), await filledPatient(all.length + 2, false)];
  const { runId, ids } = await convertAll([...patients, ...untouched]);
  expect(ids).toHaveLength(all.length + 2);
  const noted = (await recordsOf(runId)).flatMap(({ patient_id: id, outcome }) =>
    outcome?.rows ? [[id, outcome.rows]] : [],
  );
  expect(noted.length, "patients without cards").toBeGreaterThan(all.length / 2);
  expect(noted.toSorted(), "are noted as they are stored").toEqual([...(await listRowHashes(db, ids))].toSorted());
  expect(await verify(practiceId, runId)).toMatchObject({ records: all.length + 2, different: 0, changed_since: 0 });

  await dropChecks();
  for (const [at, alteration] of all.entries()) await alter(alteration, ids[at] as number);
  await verify(practiceId, runId);
  const found = await fieldsFound(runId);
  const missed = all.flatMap(({ what, fields }, at) => {
    const named = found.get(at + 1) ?? [];
    return named.some((field) => fields.includes(field)) ? [] : [{ what, fields, named }];
  });
  expect(missed).toEqual([]);
  expect([found.get(all.length + 1), found.get(all.length + 2)], "the others have none").toEqual([[], []]);
});

test(`an untouched conversion has no differences for any field values (PROPERTY_SEED=${SEED})`, async () => {
  const any = fc.record({ demographics: anyDemographics, current: anyInsurance, past: anyInsurance });
  const samples = fc.sample(any, { numRuns: RUNS, seed: SEED });
  const patients = samples.map(({ demographics, current, past }, at) =>
    legacyPatient(at + 1, {
      ...demographics,
      insurances: [legacyInsurance(10 * at + 10, { ...current, carrier: "Humana" })],
      deleted_insurances: [pastInsurance(10 * at + 11, { ...past, carrier: "Humana", created_date: null })],
    }),
  );
  const { runId, ids } = await convertAll(patients);
  expect(ids.length).toBeGreaterThan(RUNS / 2);
  await verify(practiceId, runId);
  const different = (await recordsOf(runId)).filter(({ differences }) => differences !== null);
  expect(different.map(({ number, differences }) => ({ patient: patients[number - 1], differences }))).toEqual([]);
});

test("edits by users are not differences, but direct changes to edited patients are", async () => {
  const { runId, ids } = await convertAll(await Promise.all([1, 2, 3, 4].map((n) => filledPatient(n, true))));
  const places = await Promise.all(ids.map(placeOf));
  const [first, second, third, fourth] = places as [
    ConvertedPatient,
    ConvertedPatient,
    ConvertedPatient,
    ConvertedPatient,
  ];
  const change = async (method: string, path: string, body?: object) => {
    const response = await call(method, path, { token, body });
    expect(response.status, JSON.stringify(response.body)).toBeLessThan(300);
  };
  const edits = {
    ssn: "123-45-6789",
    suffix: "",
    emails: [],
    phones: [{ phone: "(617) 555-0100", phone_type: "Home" }],
    first_name: "Other",
    address: { city: "Boston" },
    employer: null,
    tags: null,
    middle_name: "Q",
  };
  await change("PATCH", `patients/${first.patient}`, edits);
  await change("PATCH", `patients/${second.patient}/policies/${second.current.policy}`, { member_id: "NEW" });
  await change("DELETE", `patients/${third.patient}/policies/${third.current.policy}`);
  await change("PATCH", `patients/${fourth.patient}`, { ssn: "987-65-4321" });
  expect(await verify(practiceId, runId)).toMatchObject({ records: 4, changed_since: 4, different: 0 });

  await db.run(sql`UPDATE patient SET details = details || '{"ssn": "000-00-0000"}' WHERE id = ${fourth.patient}`);
  await db.run(sql`UPDATE patient SET phones = '[]' WHERE id = ${first.patient}`);
  await verify(practiceId, runId);
  const found = await fieldsFound(runId);
  expect([found.get(1), found.get(2), found.get(3), found.get(4)]).toEqual([["phones[0]"], [], [], ["ssn"]]);
  const [record] = (await recordsOf(runId)).filter(({ number }) => number === 4);
  expect(JSON.stringify(record?.differences), "numbers are concealed").not.toMatch(/987-65-4321|000-00-0000/);
});
