// Builds legacy exports for tests, finds the sample export if it is beside the project, and compares both stores.
import fs from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import { INSURANCE_FIELDS } from "@/lib/insurance/fields/fields";
import { db, join, raw, sql } from "@/lib/platform/db/sql";
import { imageStore } from "@/lib/platform/storage/image-store";
import { imageContent } from "./images";

type Fields = Record<string, unknown>;

/** Finds the sample export; without it, the tests that need it are skipped. */
export function findSampleExport(name: "legacy-patients" | "legacy-patients-damaged") {
  const folder = path.resolve("..", "shared/data");
  const file = path.join(folder, `${name}.ndjson`);
  const found = fs.existsSync(file);
  if (!found) console.warn(`skipped: the sample export ${name}.ndjson is not beside the project`);
  return { found, file, companies: path.join(folder, `${name}.companies.ndjson`), folder };
}

export const COMPANIES = [
  { id: 5000, carrier: "Humana", address: "500 West Main St", city: "Louisville", state: "KY", zip: "40018" },
  { id: 5001, carrier: "Aetna", address: "151 Farmington Ave", city: "Hartford", state: "CT", zip: "06156" },
];

export function legacyInsurance(id: number, fields: Fields = {}): Fields {
  return {
    id,
    rank: "primary",
    carrier: "Humana",
    insurance_company: 5000,
    insurance_plan: null,
    plan: null,
    member_id: `M${id}`,
    group_id: "G1",
    copay: "20.00",
    deductible: "250.00",
    start_date: "2015-01-01",
    end_date: null,
    relationship_to_insured: null,
    created_date: "2015-01-02T09:00:00Z",
    deleted_date: null,
    ...fields,
  };
}

export const pastInsurance = (id: number, fields: Fields = {}): Fields =>
  legacyInsurance(id, {
    start_date: "2010-01-01",
    end_date: "2014-12-31",
    created_date: "2010-01-01T09:00:00Z",
    deleted_date: "2014-12-31T09:00:00Z",
    ...fields,
  });

/** Builds patient number `n`, with one current and two past insurances. */
export function legacyPatient(n: number, fields: Fields = {}): Fields {
  return {
    id: 1000 + n,
    first_name: `First${n}`,
    middle_name: "",
    last_name: `Last${n}`,
    dob: "1980-05-17",
    sex: "Female",
    ssn: "999000000",
    caregiver_practice: 65540,
    primary_physician: 131074,
    address: { address_line1: "1 Elm St", address_line2: null, city: "Natick", state: "MA", zip: null },
    phones: [],
    emails: [],
    insurances: [legacyInsurance(10 * n)],
    deleted_insurances: [pastInsurance(10 * n + 1), pastInsurance(10 * n + 2, { rank: "secondary" })],
    insurance_cards: [],
    ...fields,
  };
}

/** Builds the front and back of a card, with a different picture for each side. */
export async function legacyCard(seed: number, rank = 1): Promise<Fields> {
  const images = [1, 2].map(async (side) => ({
    side,
    content_type: "image/png",
    base64_content: (await imageContent(2 * seed + side)).base64_content,
  }));
  return { rank, images: await Promise.all(images) };
}

/** Writes lines to a new file: records as JSON, strings unchanged. */
export function writeLines(name: string, lines: readonly (Fields | string)[]): string {
  const file = path.join(process.env.CROSSWALK_DATA_DIR as string, name);
  const text = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line)));
  fs.writeFileSync(file, `${text.join("\n")}\n`);
  return file;
}

/** Counts what a practice has in both stores. */
export async function countStores(practiceId: number) {
  const row = await db.first<Record<string, number>>(sql`
    SELECT (SELECT count(*) FROM patient WHERE practice_id = ${practiceId}) AS patients,
      (SELECT count(*) FROM policy WHERE practice_id = ${practiceId} AND status = 'active') AS active,
      (SELECT count(*) FROM policy WHERE practice_id = ${practiceId} AND status = 'archived') AS archived,
      (SELECT count(*) FROM patient_insurance WHERE practice_id = ${practiceId} AND deleted_date IS NULL) AS current,
      (SELECT count(*) FROM patient_insurance WHERE practice_id = ${practiceId} AND deleted_date IS NOT NULL) AS past,
      (SELECT count(*) FROM legacy_card c JOIN patient p ON p.id = c.patient_id WHERE p.practice_id = ${practiceId}
        AND c.ended_date IS NULL) AS cards`);
  return row as Record<string, number>;
}

/** Expects that legacy insurances and policies of a practice match one to one, field by field. */
export async function expectStoresEqual(practiceId: number): Promise<void> {
  const fields = INSURANCE_FIELDS.map((field) => sql`i.${raw(field)} IS NOT DISTINCT FROM p.${raw(field)}`);
  const equal = [
    ...fields,
    sql`i.id = p.patient_insurance AND i.rank = p.rank AND i.patient_id = p.patient_id`,
    sql`i.created_date = p.created_date AND i.deleted_date IS NOT DISTINCT FROM p.archived_date`,
    sql`(i.deleted_date IS NULL) = (p.status = 'active')`,
    sql`p.version = (SELECT count(*) FROM policy_version v WHERE v.policy_id = p.id)`,
    sql`p.patient_dob = t.dob AND p.patient_first_name = t.first_name AND p.patient_last_name = t.last_name`,
  ];
  const different = await db.rows(sql`
    SELECT i.id AS insurance, p.id AS policy FROM patient_insurance i
      FULL JOIN policy p ON p.id = i.policy_id JOIN patient t ON t.id = coalesce(i.patient_id, p.patient_id)
    WHERE t.practice_id = ${practiceId} AND (i.id IS NULL OR p.id IS NULL OR NOT (${join(equal, " AND ")}))`);
  expect(different, "both stores are equal").toEqual([]);
  const cards = await db.rows<{ image_key: string }>(sql`
    SELECT c.image_key FROM legacy_card c JOIN policy p ON p.patient_id = c.patient_id AND p.rank = c.rank
    WHERE p.practice_id = ${practiceId} AND p.status = 'active' AND c.ended_date IS NULL
      AND NOT EXISTS (SELECT FROM policy_card_image g
      WHERE g.policy_id = p.id AND g.image_rank = c.side AND g.image_key = c.image_key)`);
  expect(cards, "each card is on the policy of its rank").toEqual([]);
}

/** Expects the image store to contain exactly the images that records refer to. */
export async function expectImagesComplete(): Promise<void> {
  const rows = await db.rows<{ image_key: string; bytes: number }>(sql`SELECT image_key, bytes FROM legacy_card`);
  for (const { image_key, bytes } of rows) expect((await imageStore().get(image_key))?.byteLength).toBe(bytes);
  const folder = process.env.IMAGE_STORE_DIR as string;
  const files = fs.existsSync(folder) ? fs.readdirSync(folder, { recursive: true, withFileTypes: true }) : [];
  const stored = files.filter((entry) => entry.isFile()).map(({ name }) => name);
  expect(stored.sort()).toEqual(rows.map(({ image_key }) => image_key).sort());
}
