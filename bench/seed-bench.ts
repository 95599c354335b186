import { createHash, randomBytes } from "node:crypto";
import type pg from "pg";
import { INSURANCE_FIELDS } from "@/lib/insurance/fields/fields";
import { asAdmin } from "@/scripts/lib/postgres.mjs";

/** A policy that requests can use. Every patient is called Maria Lopez, born 1980-05-17, which writes must repeat. */
export interface Target {
  patient: number;
  policy: number;
}

export interface BenchData {
  patients: number;
  clientId: string;
  clientSecret: string;
  token: string;
  targets: Target[];
  /** For staff requests: the Cookie header of an admin and their practice. */
  staff?: { cookie: string; practice: number };
  /** The path of a page of the list of events, by cursor. */
  eventsPage?: string;
}

export const PATIENTS = 10_000;
export const hash = (secret: string) => createHash("sha256").update(secret).digest();
export const createSecret = (prefix: string) => `${prefix}_${randomBytes(32).toString("base64url")}`;

const basics = (patients: number) => `
  INSERT INTO organization (name) VALUES ('Northside Health');
  INSERT INTO practice (organization_id, name, insurance_versioning_enabled)
    SELECT id, 'Northside Family Medicine', true FROM organization;
  INSERT INTO physician (practice_id, first_name, last_name, email, npi, license, license_state)
    SELECT id, 'Ada', 'Reyes', 'ada.reyes@example.org', '1234567893', 'A100', 'MA' FROM practice;
  INSERT INTO patient (practice_id, primary_physician_id, first_name, last_name, dob, sex, details, phones, created_date,
      last_modified)
    SELECT p.practice_id, p.id, 'Maria', 'Lopez', '1980-05-17', 'Female', '{}', '[]', now(), now()
    FROM physician p, generate_series(1, ${patients});
  INSERT INTO patient_version (patient_id, version, kind, changes, actor, source, occurred_date)
    SELECT id, 1, 'created', '{}', '{"type": "system", "id": null, "name": "seed"}', 'seed', created_date FROM patient;`;

/** One to three policies per patient, depending on the ID, with most fields filled. */
const POLICIES = `
  INSERT INTO policy (patient_id, practice_id, rank, patient_first_name, patient_last_name, patient_dob, carrier, plan,
      member_id, group_id, copay, deductible, start_date, payment_program, insured_person_first_name,
      insured_person_last_name, insured_person_dob, insured_person_address, insured_person_city, insured_person_state,
      insured_person_zip, address, city, state, zip, phone, patient_insurance, created_date, modified_date)
    SELECT p.id, p.practice_id, rank, p.first_name, p.last_name, p.dob, 'Acme Health', 'Gold PPO 500',
      'M00012345' || rank, 'G100' || rank, 25, 500, '2024-01-01', 'Commercial - Other',
      p.first_name, p.last_name, p.dob, '12 Elm Street', 'Springfield', 'MA', '01103', 'PO Box 1200', 'Hartford', 'CT',
      '06101', '(800) 555-0100', nextval(pg_get_serial_sequence('patient_insurance', 'id')), now(), now()
    FROM patient p, generate_series(1, 1 + (p.id % 3)::int) AS rank;
  INSERT INTO policy_version (policy_id, version, patient_id, kind, snapshot, actor, source, occurred_date)
    SELECT id, 1, patient_id, 'created', to_jsonb(policy) || '{"card_images": []}',
      '{"type": "system", "id": null, "name": "seed"}', 'seed', created_date FROM policy;`;

const FIELDS = INSURANCE_FIELDS.join(", ");
/** The legacy records, and a front image for each primary policy in both stores. */
const LEGACY_RECORDS = `
  INSERT INTO patient_insurance (id, patient_id, practice_id, policy_id, rank, ${FIELDS}, created_date)
    SELECT patient_insurance, patient_id, practice_id, id, rank, ${FIELDS}, created_date FROM policy;
  INSERT INTO policy_card_image (policy_id, image_rank, image_key, sha256, content_type, bytes, width, height,
      from_version, created_date)
    SELECT id, 1, gen_random_uuid(), repeat('0', 64), 'image/jpeg', 40000, 640, 400, 1, created_date
    FROM policy WHERE rank = 1;
  INSERT INTO legacy_card (patient_id, rank, side, image_key, sha256, content_type, bytes, width, height, created_date)
    SELECT p.patient_id, p.rank, i.image_rank, i.image_key, i.sha256, i.content_type, i.bytes, i.width, i.height,
      i.created_date FROM policy_card_image i JOIN policy p ON p.id = i.policy_id;`;

/** Fills a migrated, empty database with 10,000 patients, their policies and legacy records, and one API client. */
export function seedBench(url: string): Promise<BenchData> {
  return asAdmin(url, async (client) => {
    await seedPatients(client, PATIENTS);
    const credentials = await insertClient(client);
    await client.query("VACUUM ANALYZE");
    return { patients: PATIENTS, ...credentials, targets: await listTargets(client, "policy") };
  });
}

/** Adds a practice with patients, two policies each on average, and their legacy records. */
export async function seedPatients(client: pg.Client, patients: number): Promise<void> {
  for (const statements of [basics(patients), POLICIES, LEGACY_RECORDS]) await client.query(statements);
}

/** Lists the policies in a table. */
export async function listTargets(client: pg.Client, table: string): Promise<Target[]> {
  const { rows } = await client.query<{ patient: string; policy: string }>(
    `SELECT patient_id AS patient, id AS policy FROM ${table} ORDER BY id`,
  );
  return rows.map(({ patient, policy }) => ({ patient: Number(patient), policy: Number(policy) }));
}

/** Adds an API client with access to all practices, and a token that is valid for a day. */
export async function insertClient(client: pg.Client) {
  const credentials = { clientId: "benchmark", clientSecret: createSecret("cws"), token: createSecret("cwt") };
  await client.query(
    `WITH c AS (INSERT INTO oauth_client (client_id, name, organization_id, scoped_tokens, allowed_scopes)
         SELECT $1, 'Benchmark', organization_id, true, '{}' FROM practice RETURNING id),
       g AS (INSERT INTO oauth_client_practice SELECT c.id, p.id FROM c, practice p),
       s AS (INSERT INTO oauth_client_secret (client_id, secret_hash) SELECT id, $2 FROM c RETURNING id, client_id)
     INSERT INTO oauth_token (token_hash, client_id, secret_id, scopes, created_date, expires_date)
       SELECT $3, client_id, id, '{apiv2}', now(), now() + interval '1 day' FROM s`,
    [credentials.clientId, hash(credentials.clientSecret), hash(credentials.token)],
  );
  return credentials;
}
