// Writes hundreds of thousands of patients, to try the system at the size of a real practice. Set-based statements write a few
// thousand per transaction, with the rows that the commands would write: both stores equal, and a version for each change.
import { auditChange } from "@/lib/access/audit/commands";
import { systemOrigin } from "@/lib/access/identity/access";
import { INSURANCE_FIELDS } from "@/lib/insurance/fields/fields";
import { type Db, raw, type Sql, sql } from "@/lib/platform/db/sql";
import { transaction } from "@/lib/platform/db/transaction";
import { seedDeliveries } from "./crowd-events";
import { FEMALE, LAST, MALE, STREETS, TOWNS } from "./people";

/** Where the patients are written. */
export interface CrowdPractice {
  id: number;
  /** The paused subscription of their events. */
  subscriptionId: number;
}

export const CROWD_ORIGIN = systemOrigin({ name: "Seed", source: "seed", operation: "crowd.seed" });

/** Number of patients that a transaction writes at most. */
export const CROWD_BATCH = 2_500;

/** Returns an expression for a number from 0 to `sides - 1`, which is always the same for a record. */
const roll = (of: string, salt: number, sides: number | string) =>
  raw(`mod(hashint8extended(${of}, ${salt}) & 2147483647, ${sides})::int`);
const pick = (list: Sql, of: string, salt: number) =>
  sql`(${list})[1 + mod(hashint8extended(${raw(of)}, ${raw(String(salt))}) & 2147483647, cardinality(${list}))]`;
const texts = (list: readonly string[]) => sql`${[...list]}::text[]`;
/** Returns a time as text, in the format of the API and of versions. */
const iso = (time: string) => raw(`to_char(${time} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`);

/** Writes `count` patients in one transaction and returns the number of rows written. */
export async function seedCrowd(practice: CrowdPractice, count: number): Promise<number> {
  return transaction(async (tx) => {
    const allocated = await tx.rows<{ id: number }>(
      sql`SELECT nextval(pg_get_serial_sequence('patient', 'id')) AS id FROM generate_series(1, ${count}::int)`,
    );
    const ids = allocated.map(({ id }) => id);
    let rows = await insertPatients(tx, practice.id, ids);
    await planPolicies(tx, ids);
    rows += await insertPolicies(tx);
    rows += await insertHistory(tx);
    rows += await seedDeliveries(tx, practice, ids);
    await auditChange(tx, CROWD_ORIGIN, ids);
    return rows + 1;
  });
}

/** Women have even numbers. All patients were added in the last four years, but not in the last month. */
async function insertPatients(tx: Db, practiceId: number, ids: readonly number[]): Promise<number> {
  const town = pick(texts(TOWNS.map(([name]) => name)), "p.id", 7);
  const zip = pick(texts(TOWNS.map(([, code]) => code)), "p.id", 7);
  const street = sql`${roll("p.id", 5, 240)} + 2 || ' ' || ${pick(texts(STREETS), "p.id", 6)}`;
  return tx.run(sql`
    INSERT INTO patient (id, practice_id, primary_physician_id, first_name, middle_name, last_name, dob, sex, details, phones,
      created_date, last_modified)
    SELECT p.id, ${practiceId}, doctors.ids[1 + ${roll("p.id", 1, "cardinality(doctors.ids)")}],
      CASE WHEN p.id % 2 = 0 THEN ${pick(texts(FEMALE), "p.id", 2)} ELSE ${pick(texts(MALE), "p.id", 2)} END, '',
      ${pick(texts(LAST), "p.id", 3)}, '1934-01-01'::date + ${roll("p.id", 4, 32_000)},
      CASE WHEN p.id % 2 = 0 THEN 'Female' ELSE 'Male' END,
      jsonb_build_object('preferred_language', 'English', 'address', jsonb_build_object('address_line1', ${street},
        'address_line2', NULL, 'city', ${town}, 'state', 'ME', 'zip', ${zip})),
      jsonb_build_array(jsonb_build_object('phone', '207-555-01' || lpad((p.id % 100)::text, 2, '0'), 'phone_type', 'Mobile',
        'digits', '20755501' || lpad((p.id % 100)::text, 2, '0'), 'created_date', ${iso("came.at")})),
      came.at, came.at
    FROM unnest(${[...ids]}::bigint[]) AS p(id)
    CROSS JOIN LATERAL (SELECT date_trunc('milliseconds', now()) - make_interval(days => 30 + ${roll("p.id", 8, 1_400)},
      secs => ${roll("p.id", 9, 86_400)}) AS at) came
    CROSS JOIN (SELECT array_agg(id ORDER BY id) AS ids FROM physician WHERE practice_id = ${practiceId}) doctors`);
}

/**
 * Plans the policies of the patients: one to three active ones, and for one in four an archived primary.
 * Most have one to three versions. One primary in a thousand has more than a hundred.
 */
async function planPolicies(tx: Db, ids: readonly number[]): Promise<void> {
  await tx.run(sql`
    CREATE TEMPORARY TABLE crowd_policy ON COMMIT DROP AS
    SELECT nextval(pg_get_serial_sequence('policy', 'id')) AS policy_id,
      nextval(pg_get_serial_sequence('patient_insurance', 'id')) AS insurance_id, p.id AS patient_id, p.practice_id,
      CASE place WHEN 0 THEN 1 ELSE place END AS rank, place = 0 AS is_past, times.from_date, times.span,
      CASE WHEN place = 0 THEN 2 WHEN place = 1 AND ${roll("p.id", 12, 1_000)} = 0 THEN 100 + ${roll("p.id", 13, 80)}
        WHEN ${roll("p.id", 14, 4)} = 0 THEN 1 + ${roll("p.id + place", 15, 3)} ELSE 1 END AS versions
    FROM patient p
    CROSS JOIN LATERAL (SELECT ${roll("p.id", 10, 4)} = 0 AS had_one, (now() - p.created_date) * 0.45 AS half) life
    CROSS JOIN generate_series(0, 1 + ${roll("p.id", 11, 3)}) AS place
    CROSS JOIN LATERAL (SELECT
      date_trunc('milliseconds', p.created_date + CASE WHEN place = 1 AND had_one THEN half ELSE '0' END) AS from_date,
      half AS span) times
    WHERE p.id = ANY(${[...ids]}::bigint[]) AND (place > 0 OR had_one)`);
}

const FIELDS = INSURANCE_FIELDS.join(", ");
/** Returns the time of a version of a planned policy. */
const occurred = (version: string) =>
  `date_trunc('milliseconds', c.from_date + c.span * (${version} - 1) / greatest(c.versions - 1, 1))`;
/** Returns the copay of a version. It changes with each version except an archival. */
const copay = (version: string) =>
  `(10 + 5 * mod(c.policy_id + least(${version}, c.versions - c.is_past::int), 6))::numeric(10, 2)`;

/** Writes the current policies and the legacy insurances that replicate them. */
async function insertPolicies(tx: Db): Promise<number> {
  const policies = await tx.run(sql`
    WITH plan AS (
      SELECT o.practice_id, o.id AS company, o.carrier, o.address, o.city, o.state, o.zip, o.phone, n.id, n.name,
        row_number() OVER (PARTITION BY o.practice_id ORDER BY o.id, n.id) - 1 AS place,
        count(*) OVER (PARTITION BY o.practice_id) AS plans
      FROM insurance_company o JOIN insurance_plan n ON n.insurance_company_id = o.id AND n.deleted_date IS NULL
      WHERE o.deleted_date IS NULL AND o.practice_id IN (SELECT practice_id FROM crowd_policy))
    INSERT INTO policy (id, patient_insurance, patient_id, practice_id, status, version, rank, patient_first_name,
      patient_last_name, patient_dob, carrier, insurance_company, plan, insurance_plan, address, city, state, zip, phone,
      member_id, group_id, copay, deductible, start_date, end_date, created_date, modified_date, archived_date,
      archive_reason)
    SELECT c.policy_id, c.insurance_id, c.patient_id, c.practice_id, CASE WHEN c.is_past THEN 'archived'::policy_status ELSE 'active' END,
      c.versions, c.rank, p.first_name, p.last_name, p.dob, plan.carrier, plan.company, plan.name, plan.id, plan.address,
      plan.city, plan.state, plan.zip, plan.phone,
      upper(left(regexp_replace(plan.carrier, '[^A-Za-z]', '', 'g'), 3)) || '-' || lpad(${roll("c.policy_id", 21, 10_000)}::text, 4, '0')
        || '-' || lpad(${roll("c.policy_id", 22, 10_000)}::text, 4, '0'),
      'G-' || lpad(${roll("c.policy_id", 23, 100_000)}::text, 5, '0'), ${raw(copay("c.versions"))},
      250 * ${roll("c.policy_id", 24, 11)}, date_trunc('year', c.from_date)::date,
      CASE WHEN c.is_past THEN ${raw(occurred("c.versions"))}::date END, c.from_date, ${raw(occurred("c.versions"))},
      CASE WHEN c.is_past THEN ${raw(occurred("c.versions"))} END, CASE WHEN c.is_past THEN 'superseded' END
    FROM crowd_policy c JOIN patient p ON p.id = c.patient_id
    JOIN plan ON plan.practice_id = c.practice_id AND plan.place = mod(hashint8extended(c.policy_id, 25) & 2147483647, plan.plans)`);
  const twins = await tx.run(sql`
    INSERT INTO patient_insurance (id, patient_id, practice_id, policy_id, rank, ${raw(FIELDS)}, created_date, deleted_date)
    SELECT patient_insurance, patient_id, practice_id, id, rank, ${raw(FIELDS)}, created_date, archived_date
    FROM policy WHERE id IN (SELECT policy_id FROM crowd_policy)`);
  return policies + twins;
}

/** Writes the versions of policies and patients. */
async function insertHistory(tx: Db): Promise<number> {
  const { actor, source } = CROWD_ORIGIN;
  const by = sql`${JSON.stringify(actor)}::jsonb, ${source}`;
  const isEnd = "(c.is_past AND v = c.versions)";
  const end = (value: string) => raw(`CASE WHEN ${isEnd} THEN ${value} END`);
  const policyVersions = await tx.run(sql`
    INSERT INTO policy_version (policy_id, version, patient_id, kind, snapshot, actor, source, occurred_date)
    SELECT c.policy_id, v, c.patient_id,
      CASE WHEN v = 1 THEN 'created' WHEN ${raw(isEnd)} THEN 'archived' ELSE 'updated' END,
      to_jsonb(o) || jsonb_build_object('version', v, 'card_images', '[]'::jsonb, 'copay', ${raw(copay("v"))}::text,
        'deductible', o.deductible::text, 'status', CASE WHEN ${raw(isEnd)} THEN 'archived' ELSE 'active' END,
        'end_date', ${end("o.end_date")}, 'created_date', ${iso("o.created_date")}, 'modified_date', ${iso(occurred("v"))},
        'archived_date', CASE WHEN ${raw(isEnd)} THEN ${iso("o.archived_date")} END, 'archive_reason', ${end("o.archive_reason")}),
      ${by}, ${raw(occurred("v"))}
    FROM crowd_policy c JOIN policy o ON o.id = c.policy_id CROSS JOIN LATERAL generate_series(1, c.versions) AS v`);
  const note = `jsonb_build_object('id', c.insurance_id, 'policy', c.policy_id, 'rank', c.rank, 'kind',
    CASE WHEN v = 1 THEN 'created' WHEN ${isEnd} THEN 'ended' ELSE 'updated' END)`;
  const patientVersions = await tx.run(sql`
    WITH change AS (
      SELECT c.patient_id, ${raw(occurred("v"))} AS at, jsonb_agg(${raw(note)} ORDER BY c.policy_id, v) AS insurances
      FROM crowd_policy c CROSS JOIN LATERAL generate_series(1, c.versions) AS v GROUP BY 1, 2),
    numbered AS (SELECT *, row_number() OVER (PARTITION BY patient_id ORDER BY at) AS version FROM change),
    raised AS (
      UPDATE patient p SET version = last.version, last_modified = last.at
      FROM (SELECT DISTINCT ON (patient_id) patient_id, version, at FROM numbered ORDER BY patient_id, version DESC) last
      WHERE p.id = last.patient_id)
    INSERT INTO patient_version (patient_id, version, kind, changes, actor, source, occurred_date)
    SELECT n.patient_id, n.version, CASE WHEN n.version = 1 THEN 'created' ELSE 'insurances_changed' END,
      jsonb_build_object('card_ranks', '[]'::jsonb, 'insurances', n.insurances) || CASE WHEN n.version > 1 THEN '{}' ELSE
        (SELECT jsonb_object_agg(field.key, jsonb_build_object('old', NULL, 'new', field.value))
         FROM jsonb_each(jsonb_build_object('first_name', p.first_name, 'last_name', p.last_name, 'dob', p.dob, 'sex', p.sex,
           'primary_physician', p.primary_physician_id) || p.details) field) END,
      ${by}, n.at
    FROM numbered n JOIN patient p ON p.id = n.patient_id`);
  return policyVersions + patientVersions;
}
