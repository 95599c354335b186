// The content of a practice and a migration run, in a form that is equal for two runs of the same export.
import { type Sql, sql } from "@/lib/platform/db/sql";

/** Our own IDs and the time of the run, which differ between runs. */
const OWN = [
  "id",
  "practice_id",
  "patient_id",
  "policy_id",
  "primary_physician_id",
  "insurance_company",
  "patient_insurance",
  "image_key",
  "created_date",
  "last_modified",
  "modified_date",
  "archived_date",
  "deleted_date",
  "source_fingerprint",
];

/** Returns the statements that read it: each selects a `row` and its `place` in an order by external IDs. */
export function runContent(practiceId: number, runId: number): Record<string, Sql> {
  const without = sql`${OWN}::text[]`;
  const company = (column: Sql) => sql`(SELECT external_id FROM insurance_company c WHERE c.id = ${column})`;
  return {
    patients: sql`
      SELECT to_jsonb(p) - ${without} AS row, external_id AS place FROM patient p WHERE practice_id = ${practiceId}`,
    insurances: sql`
      SELECT jsonb_build_array(p.external_id, to_jsonb(i) - ${without}, i.created_date, i.deleted_date,
        ${company(sql`i.insurance_company`)}) AS row, i.external_id AS place
      FROM patient_insurance i JOIN patient p ON p.id = i.patient_id WHERE i.practice_id = ${practiceId}`,
    policies: sql`
      SELECT jsonb_build_array(p.external_id, i.external_id, to_jsonb(o) - ${without}, o.status, o.archived_date,
        ${company(sql`o.insurance_company`)},
        (SELECT jsonb_agg(jsonb_build_array(v.version, v.kind, v.source, v.snapshot - ${without} - 'card_images') ORDER BY v.version)
         FROM policy_version v WHERE v.policy_id = o.id),
        (SELECT jsonb_agg(jsonb_build_array(g.image_rank, g.sha256, g.from_version, g.to_version) ORDER BY g.id)
         FROM policy_card_image g WHERE g.policy_id = o.id)) AS row, i.external_id AS place
      FROM policy o JOIN patient p ON p.id = o.patient_id LEFT JOIN patient_insurance i ON i.id = o.patient_insurance
      WHERE o.practice_id = ${practiceId}`,
    cards: sql`
      SELECT jsonb_build_array(p.external_id, c.rank, c.side, c.sha256, c.bytes, c.ended_date IS NULL) AS row,
        (p.external_id, c.rank, c.side, c.id) AS place
      FROM legacy_card c JOIN patient p ON p.id = c.patient_id WHERE p.practice_id = ${practiceId}`,
    history: sql`
      SELECT jsonb_build_array(p.external_id, v.version, v.kind, v.source) AS row, (p.external_id, v.version) AS place
      FROM patient_version v JOIN patient p ON p.id = v.patient_id WHERE p.practice_id = ${practiceId}`,
    findings: sql`
      SELECT to_jsonb(f) - '{id,run_id,decided_date}'::text[] AS row, (number, code, position, insurance) AS place
      FROM migration_finding f WHERE run_id = ${runId}`,
    records: sql`
      SELECT to_jsonb(r) - '{run_id,patient_id,plan,outcome}'::text[] || jsonb_build_object('plan',
        (SELECT jsonb_agg(entry - 'row') FROM jsonb_array_elements(r.plan->'insurances') entry)) AS row, number AS place
      FROM migration_record r WHERE run_id = ${runId}`,
    reused: sql`
      SELECT to_jsonb(u) - 'run_id' AS row, (insurance, is_current) AS place FROM migration_reused_id u WHERE run_id = ${runId}`,
    repeats: sql`SELECT to_jsonb(u) - 'run_id' AS row, number AS place FROM migration_repeat u WHERE run_id = ${runId}`,
    removed: sql`SELECT to_jsonb(m.number) AS row, number AS place FROM migration_removal m WHERE run_id = ${runId}`,
    companies: sql`
      SELECT jsonb_build_array(external_id, carrier, deleted_date IS NULL) AS row, external_id AS place
      FROM insurance_company WHERE practice_id = ${practiceId}`,
    // Excludes who was changed and how often, because there is one entry per batch.
    audited: sql`
      SELECT jsonb_build_array(count(*), count(DISTINCT u.patient)) AS row, 1 AS place
      FROM audit_log e, unnest(e.patients) AS u(patient) WHERE e.practice_id = ${practiceId} AND e.kind = 'change'`,
  };
}
