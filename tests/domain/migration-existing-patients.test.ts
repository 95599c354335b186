// Runs that include existing patients: what is rejected, what changes, and how it is rolled back.
import { beforeEach, describe, expect, test } from "vitest";
import { addNote } from "@/lib/insurance/notes/commands";
import { db, sql } from "@/lib/platform/db/sql";
import { imageStore } from "@/lib/platform/storage/image-store";
import { call, tokenFor } from "../support/api";
import {
  COMPANIES,
  expectStoresEqual,
  legacyCard,
  legacyInsurance,
  legacyPatient,
  pastInsurance,
} from "../support/legacy-export";
import { seedMigratingPracticeBeforeEach, verdictsOf } from "../support/migrating-practice";
import {
  acceptFixes,
  convert,
  findingsOf,
  readStores,
  recordsOf,
  requestFor,
  rollBack,
  skipErrors,
  verify,
  versionsOf,
} from "../support/migration-runs";
import { expectStoresAgree } from "../support/stores";

type Fields = Record<string, unknown>;
const LATER_COMPANIES = [...COMPANIES, { id: 5002, carrier: "Harborlight Health" }];

const practice = seedMigratingPracticeBeforeEach(LATER_COMPANIES);
const { check, migrate } = practice;
let token: string;
beforeEach(async () => {
  token = await tokenFor({ organizationId: practice.organization, practices: [practice.id] });
});

const first = (n: number, fields: Fields = {}) => legacyInsurance(10 * n, fields);
const second = (n: number, fields: Fields = {}) => legacyInsurance(10 * n + 3, { rank: "secondary", ...fields });
const third = (n: number, fields: Fields = {}) => legacyInsurance(10 * n + 4, { rank: "tertiary", ...fields });
const ended = { deleted_date: "2025-05-05T05:00:00Z" };

/** Finds the local patient for number n of the file. */
async function patientOf(n: number): Promise<number> {
  const row = await db.first<{ id: number }>(sql`
    SELECT id FROM patient WHERE practice_id = ${practice.id} AND external_id = ${1000 + n}`);
  return (row as { id: number }).id;
}

async function policyOf(externalId: number): Promise<{ id: number; patient: number }> {
  const row = await db.first<{ id: number; patient: number }>(sql`
    SELECT policy_id AS id, patient_id AS patient FROM patient_insurance
    WHERE practice_id = ${practice.id} AND external_id = ${externalId}`);
  return row as { id: number; patient: number };
}

/** Changes the policy of an insurance through the API, as staff would. */
async function change(method: string, externalId: number, body?: object): Promise<void> {
  const { id, patient } = await policyOf(externalId);
  const response = await call(method, `patients/${patient}/policies/${id}`, { token, body });
  expect(response.status, JSON.stringify(response.body)).toBeLessThan(300);
}

/** Returns each record's verdict and state, by the patient's number. */
async function statesOf(runId: number): Promise<Record<number, string>> {
  const records = await recordsOf(runId);
  return Object.fromEntries(records.map((one) => [Number(one.external_id) - 1000, `${one.verdict} ${one.state}`]));
}

/** Builds patients as the other system had them: 1 to 10, each with a card for every rank of an insurance. */
async function firstExport(): Promise<Fields[]> {
  const insurances: Record<number, Fields[]> = {
    1: [first(1), second(1)],
    2: [first(2), second(2)],
    3: [first(3)],
    4: [first(4), second(4)],
    5: [first(5), second(5)],
    6: [first(6), second(6)],
    7: [first(7), second(7), third(7)],
    8: [first(8)],
    9: [first(9), second(9)],
    10: [first(10), second(10)],
  };
  const patients = Object.entries(insurances).map(async ([n, list]) => {
    const ranks = [1, 5].includes(Number(n)) ? [1] : list.map((_, at) => at + 1);
    const insurance_cards = await Promise.all(ranks.map((rank) => legacyCard(10 * Number(n) + rank, rank)));
    // One card has only its back.
    if (n === "9") insurance_cards[0] = { ...insurance_cards[0], images: imagesOn(2, insurance_cards[0]) };
    return legacyPatient(Number(n), { insurances: list, insurance_cards });
  });
  return Promise.all(patients);
}

/** Builds the same patients later, with every kind of change to their insurances, and one new patient. */
async function laterExport(): Promise<Fields[]> {
  const old = Object.fromEntries((await firstExport()).map((patient, at) => [at + 1, patient])) as Record<
    number,
    Fields
  >;
  const past = (n: number) => old[n]?.deleted_insurances as Fields[];
  return [
    {
      ...old[1],
      insurances: [first(1, { rank: "secondary" }), second(1, { rank: "primary" })],
      insurance_cards: [await legacyCard(17, 1), await legacyCard(11, 2)],
    },
    { ...old[2], insurances: [legacyInsurance(29), second(2)], deleted_insurances: [...past(2), first(2, ended)] },
    { ...old[3], insurances: [] },
    { ...old[4], insurances: [first(4, { copay: "35", carrier: "Harborlight", insurance_company: 5002 }), second(4)] },
    {
      ...old[5],
      insurances: [first(5), second(5), third(5)],
      insurance_cards: [await legacyCard(51, 1), await legacyCard(58, 2), await legacyCard(59, 3)],
    },
    { ...old[6], insurances: [second(6, { rank: "primary" })], deleted_insurances: [...past(6), first(6, ended)] },
    {
      ...old[7],
      insurances: [first(7, { rank: "tertiary" }), second(7, { rank: "primary" }), third(7, { rank: "secondary" })],
    },
    { ...old[8], deleted_insurances: [...past(8), pastInsurance(88, { rank: "tertiary" })] },
    {
      ...old[9],
      insurance_cards: [
        { rank: 1, images: imagesOn(2, await legacyCard(91, 1)) },
        { rank: 1, images: imagesOn(1, await legacyCard(91, 1)) },
        await legacyCard(92, 2),
      ],
    },
    old[10] as Fields,
    legacyPatient(11, { insurance_cards: [await legacyCard(111)] }),
  ];
}

const EXPECTED = {
  1: "update",
  2: "update",
  3: "archive",
  4: "update",
  5: "update",
  6: "update",
  7: "update",
  8: "archive",
  9: "update",
  10: "unchanged",
  11: "create",
} as const;
const expected = (state: string) =>
  Object.fromEntries(Object.entries(EXPECTED).map(([n, verdict]) => [n, `${verdict} ${state}`]));

const imagesOn = (wanted: number, card: Fields = {}) => (card.images as Fields[]).filter(({ side }) => side === wanted);

/** Expects the store to have exactly the images that records name, including ended records. */
async function expectNoStrayImages(): Promise<void> {
  const rows = await db.rows<{ image_key: string }>(
    sql`SELECT image_key FROM legacy_card UNION SELECT image_key FROM policy_card_image`,
  );
  const stored: string[] = [];
  for await (const { key } of imageStore().list()) stored.push(key);
  expect(stored.sort()).toEqual(rows.map(({ image_key }) => image_key).sort());
}

async function imagesOf(keys: readonly unknown[]): Promise<string[]> {
  const bytes = await Promise.all(keys.map((key) => imageStore().get(String(key))));
  return bytes.map((one) => (one ? Buffer.from(one).toString("base64") : "gone"));
}

/** Reads the content of both stores, without IDs and times. */
async function contentOf(): Promise<unknown> {
  const { insurances, policies, cards, images } = await readStores(practice.id);
  const plain = (rows: Fields[] = [], ...left: string[]) =>
    rows.map((row) => JSON.stringify(Object.entries(row).filter(([field]) => !left.includes(field)))).sort();
  const dates = ["deleted_date", "archived_date", "created_date"];
  return [
    plain(insurances, "id", "policy_id", "patient_id", ...dates),
    plain(policies, "id", "patient_id", "patient_insurance", ...dates),
    plain(cards, "image_key", "patient_id", ...dates),
    plain(images, "image_key", "policy_id", ...dates),
  ];
}

describe("rolling back", () => {
  test("restores previously existing patients in both stores, and the same file can be run again", async () => {
    await migrate(await firstExport(), COMPANIES);
    const stores = await readStores(practice.id);
    const versions = await versionsOf(practice.id);
    const keys = [...(stores.cards ?? []), ...(stores.images ?? [])].map(({ image_key }) => image_key);
    const pictures = await imagesOf(keys);
    expect(pictures).not.toContain("gone");

    const runId = await migrate(await laterExport());
    expect(await statesOf(runId)).toEqual(expected("converted"));
    const verdicts = await verdictsOf(runId);
    await expectStoresEqual(practice.id);
    const outcome = await contentOf();
    expect(await verify(practice.id, runId)).toMatchObject({ different: 0, changed_since: 0 });
    const created = await patientOf(11);
    const added = await Promise.all([29, 54, 88].map(policyOf));

    await expectNoStrayImages();

    await rollBack(practice.id, runId);
    expect(await statesOf(runId)).toEqual(expected("rolled_back"));
    await expectNoStrayImages();
    expect(await readStores(practice.id)).toEqual(stores);
    const grown = await versionsOf(practice.id);
    expect([...versions].filter((version) => !grown.has(version))).toEqual([]);
    expect(await imagesOf(keys)).toEqual(pictures);
    for (const { id } of stores.patients as { id: number }[]) await expectStoresAgree(id);

    const removals = await db.rows<{ patient_id: number; removed: { patient?: Fields; policies: Fields[] } }>(
      sql`SELECT patient_id, removed FROM migration_removal WHERE run_id = ${runId} ORDER BY number`,
    );
    const removedPolicies = removals.flatMap(({ removed }) => removed.policies.map(({ id }) => id));
    expect(removedPolicies).toEqual(expect.arrayContaining(added.map(({ id }) => id)));
    const whole = removals.find(({ patient_id }) => patient_id === created)?.removed;
    expect(whole).toMatchObject({
      patient: { id: created, external_id: 1011, first_name: "First11" },
      insurances: [{ external_id: 110 }, { external_id: 111 }, { external_id: 112 }],
      versions: [{ version: 1, kind: "created" }],
      cards: [{ side: 1 }, { side: 2 }],
    });
    expect(whole?.policies.map(({ versions: all }) => (all as unknown[]).length)).toEqual([1, 2, 2]);

    const again = await check(await laterExport());
    await acceptFixes(practice.id, again);
    expect(await verdictsOf(again)).toEqual(verdicts);
    await convert(practice.id, again);
    expect(await contentOf()).toEqual(outcome);
    await expectStoresEqual(practice.id);
    expect(await verify(practice.id, again)).toMatchObject({ different: 0, changed_since: 0 });
    await rollBack(practice.id, again);
    expect(await readStores(practice.id)).toEqual(stores);
  });

  test("keeps patients with clinical records, including deleted ones, and removes the others", async () => {
    const runId = await migrate(await firstExport(), COMPANIES);
    const patient = await patientOf(2);
    await db.run(sql`
      INSERT INTO resource_record (practice_id, patient_id, resource, data, version, created_date, modified_date, deleted_date)
      VALUES (${practice.id}, ${patient}, 'allergies', '{}', 1, now(), now(), now())`);
    await rollBack(practice.id, runId);
    const states = Object.entries(await statesOf(runId));
    expect(states.filter(([, state]) => state.endsWith("kept")).map(([n]) => n)).toEqual(["2"]);
    expect(states.filter(([, state]) => state.endsWith("rolled_back"))).toHaveLength(states.length - 1);
    await expectStoresAgree(patient);
  });

  test("keeps patients on whose new policies staff wrote notes since; notes on others don't matter", async () => {
    await migrate(await firstExport(), COMPANIES);
    const runId = await migrate(await laterExport());
    const noted = await Promise.all([29, 110, 40].map(policyOf));
    for (const { id: policyId, patient: patientId } of noted) {
      await addNote({ ...requestFor(practice.id), policyId, patientId }, { text: "Called the payer" });
    }
    await rollBack(practice.id, runId);
    const kept = Object.entries(await statesOf(runId)).filter(([, state]) => state.endsWith("kept"));
    expect(kept.map(([n]) => Number(n))).toEqual([2, 11]);
    const notes = await db.rows(sql`SELECT text FROM policy_note_change WHERE practice_id = ${practice.id}`);
    expect(notes).toHaveLength(3);
    for (const { patient } of noted) await expectStoresAgree(patient);
  });

  test("keeps and lists patients that were edited since the conversion", async () => {
    await migrate(await firstExport(), COMPANIES);
    const runId = await migrate(await laterExport());
    await change("PATCH", 40, { member_id: "STAFF" });
    await change("DELETE", 70);
    await change("PATCH", 110, { plan: "Written on since" });
    const put = await call("PATCH", `patients/${await patientOf(2)}`, { token, body: { middle_name: "Staff" } });
    expect(put.status).toBeLessThan(300);
    const kept = new Set(await Promise.all([2, 4, 7, 11].map(patientOf)));
    const readKept = async () =>
      Object.values(await readStores(practice.id))
        .flat()
        .filter((row) => kept.has((row.patient_id ?? row.id) as number));
    const before = await readKept();

    await rollBack(practice.id, runId);
    const states = await statesOf(runId);
    const listed = Object.entries(states).filter(([, state]) => state.endsWith("kept"));
    expect(listed.map(([n]) => Number(n))).toEqual([2, 4, 7, 11]);
    const others = Object.entries(states).filter(([, state]) => state.endsWith("rolled_back"));
    expect(others.map(([n]) => Number(n))).toEqual([1, 3, 5, 6, 8, 9, 10]);
    expect(await readKept()).toEqual(before);
    for (const patient of kept) await expectStoresAgree(patient);
    // The company that a kept policy refers to stays.
    const company = await db.first<{ deleted_date: string | null }>(sql`
      SELECT deleted_date FROM insurance_company WHERE practice_id = ${practice.id} AND external_id = 5002`);
    expect(company).toEqual({ deleted_date: null });
  });

  test("reverts a run's changes to a patient that a later run left alone, and none of the later run's changes", async () => {
    await migrate([legacyPatient(1), legacyPatient(2)]);
    const earlier = await migrate([legacyPatient(1, { insurances: [first(1, { plan: "Two" })] }), legacyPatient(3)]);
    const last = await migrate([legacyPatient(1, { insurances: [first(1, { plan: "Three" })] })]);
    await rollBack(practice.id, earlier);
    expect(await statesOf(earlier)).toEqual({ 1: "update kept", 3: "create rolled_back" });
    await rollBack(practice.id, last);
    const rows = await db.rows(sql`SELECT plan FROM policy WHERE id = ${(await policyOf(10)).id}`);
    expect(rows).toEqual([{ plan: "Two" }]);
  });
});

describe("local changes to a patient are not overwritten", () => {
  const codesOf = async (runId: number) =>
    Object.fromEntries(
      (await findingsOf(runId)).map(({ patient, insurance, code }) => [Number(patient) - 1000, [code, insurance]]),
    );

  test("each conflict is reported by code and insurance, and nothing of the record is converted", async () => {
    const patients = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11].map((n) => legacyPatient(n));
    await migrate([...patients, legacyPatient(20)]);
    await change("DELETE", 10);
    await change("PATCH", 20, { member_id: "STAFF" });
    const create = await call("POST", `patients/${await patientOf(3)}/policies`, {
      token,
      body: {
        patient_first_name: "First3",
        patient_last_name: "Last3",
        patient_dob: "1980-05-17",
        rank: 2,
        member_id: "S",
      },
    });
    expect(create.status).toBe(201);
    await call("DELETE", `patients/${await patientOf(4)}`, { token });
    await change("PATCH", 80, { member_id: "STAFF" });
    await change("PATCH", 90, { member_id: "STAFF" });
    // A staff edit that matches the export, or of a field that the export lacks, is not a conflict.
    await change("PATCH", 100, { member_id: "STAFF" });

    const runId = await check([
      patients[0] as Fields,
      patients[1] as Fields,
      legacyPatient(3, { insurances: [first(3), second(3)] }),
      patients[3] as Fields,
      legacyPatient(5, { last_name: "Somebody-Else" }),
      legacyPatient(6, { insurances: [first(6), legacyInsurance(200, { rank: "secondary" })] }),
      legacyPatient(7, { insurances: [first(7, { insurance_company: 5999 })] }),
      legacyPatient(8, { insurances: [] }),
      legacyPatient(9, { insurances: [], deleted_insurances: [first(9, ended)] }),
      legacyPatient(10, { insurances: [first(10, { member_id: "STAFF" })] }),
      legacyPatient(11, { first_name: " FIRST11 " }),
    ]);
    expect(await codesOf(runId)).toEqual({
      1: ["ended_here", "10"],
      2: ["changed_here", "20"],
      3: ["rank_held_here", "33"],
      4: ["patient_deleted_here", null],
      5: ["identity_differs_here", null],
      6: ["insurance_id_elsewhere", "200"],
      7: ["company_unknown", "70"],
      8: ["changed_here", "80"],
      9: ["changed_here", "90"],
    });
    const refused = Object.fromEntries([1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => [n, "refused checked"]));
    expect(await statesOf(runId)).toEqual({ ...refused, 10: "unchanged checked", 11: "unchanged checked" });

    const stores = await readStores(practice.id);
    await skipErrors(practice.id, runId);
    await convert(practice.id, runId);
    expect(await readStores(practice.id)).toEqual(stores);
    const leftOut = Object.fromEntries([1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => [n, "refused left_out"]));
    expect(await statesOf(runId)).toEqual({ ...leftOut, 10: "unchanged converted", 11: "unchanged converted" });
  });

  test("a company to create counts as a change, and one that was deleted here is not created again", async () => {
    await migrate(
      [legacyPatient(1, { insurances: [first(1, { insurance_company: null })] }), legacyPatient(2)],
      COMPANIES,
    );
    await db.run(
      sql`UPDATE insurance_company SET deleted_date = now() WHERE practice_id = ${practice.id} AND external_id = 5000`,
    );
    await db.run(sql`
      INSERT INTO record_version (record_type, record_id, version, kind, changes, actor, source, occurred_date)
      SELECT record_type, record_id, version + 1, 'deleted', changes, actor, 'staff', occurred_date FROM record_version
      WHERE record_type = 'insurance_company' AND record_id = (
        SELECT id FROM insurance_company WHERE practice_id = ${practice.id} AND external_id = 5000)`);
    const runId = await check([
      legacyPatient(1, { insurances: [first(1, { insurance_company: 5002 })] }),
      legacyPatient(2),
    ]);
    expect(await statesOf(runId)).toEqual({ 1: "update checked", 2: "unchanged checked" });
    await convert(practice.id, runId);
    expect(await statesOf(runId)).toEqual({ 1: "update converted", 2: "unchanged converted" });
    expect(await verify(practice.id, runId)).toMatchObject({ different: 0 });
  });
});
