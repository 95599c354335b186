import { randomUUID } from "node:crypto";
import type pg from "pg";
import { asAdmin } from "@/scripts/lib/postgres.mjs";
import { cookieOf } from "@/tests/support/staff";
import { type BenchData, createSecret, hash, insertClient, listTargets, seedPatients } from "./seed-bench";

/** The number of rows of a database. */
export interface Size {
  policies: number;
  audit: number;
  events: number;
}

/** The calendar years that the audit covers: as many as retention keeps. */
const YEARS = 7;
const BLOCK_ENTRIES = 20;

/**
 * Fills a migrated, empty database with one practice. Audit entries have 70 actors and are spread over seven years. Webhook events have
 * ten receivers, of which the benchmark's client is one, and are from the last 25 days. One subscription is paused, so that writes
 * publish events, but no other process takes part.
 */
export function seedGrowth(url: string, size: Size): Promise<void> {
  return asAdmin(url, async (client) => {
    // The data satisfies the foreign keys, and indexes are built once at the end.
    await client.query(
      "SET session_replication_role = replica; SET synchronous_commit = off; SET maintenance_work_mem = '1GB'",
    );
    const patients = Math.ceil(size.policies / 2);
    await withoutIndexes(client, ["policy", "policy_version", "patient_insurance", "patient", "patient_version"], () =>
      seedPatients(client, patients),
    );
    await insertClient(client);
    await seedSubscriptions(client);
    await withoutIndexes(client, ["published_event"], () => seedEvents(client, size.events, patients));
    await withoutIndexes(client, ["audit_entry"], () => seedAudit(client, size.audit, patients));
    await client.query("VACUUM (ANALYZE, FREEZE)");
    await client.query("CHECKPOINT");
  });
}

/** Drops indexes that are not constraints, does the work, and builds them again. */
async function withoutIndexes(client: pg.Client, tables: readonly string[], work: () => Promise<void>): Promise<void> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition FROM pg_index
     WHERE indrelid::regclass::text = ANY ($1) AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)`,
    [tables],
  );
  for (const { name } of rows) await client.query(`DROP INDEX ${name}`);
  await work();
  // The definition of an index on a partitioned table covers the parent only.
  for (const { definition } of rows) await client.query(definition.replace(" ON ONLY ", " ON "));
}

/** The receivers of events: the benchmark's client, nine others that have ended, and one whose subscription is paused. */
async function seedSubscriptions(client: pg.Client): Promise<void> {
  await client.query(`
    INSERT INTO oauth_client (client_id, name, organization_id, scoped_tokens, allowed_scopes)
      SELECT 'receiver' || at, 'Receiver ' || at, p.organization_id, true, '{}' FROM practice p, generate_series(1, 10) AS at;
    INSERT INTO oauth_client_practice SELECT c.id, p.id FROM oauth_client c, practice p ON CONFLICT DO NOTHING;
    INSERT INTO subscription (client_id, resource, target, target_origin, signing_pub_key, signing_private_key, paused_date,
        created_date, modified_date, deleted_date)
      SELECT id, 'patients', 'https://example.org/' || id, 'https://example.org', '', '',
        CASE WHEN client_id = 'receiver10' THEN now() END, now(), now(), CASE WHEN client_id <> 'receiver10' THEN now() END
      FROM oauth_client ORDER BY id`);
}

async function seedEvents(client: pg.Client, events: number, patients: number): Promise<void> {
  await client.query(
    `INSERT INTO published_event (event_uuid, subscription_id, client_id, practice_id, event_type, resource, resource_id, target,
        processed_date, status_code, delivery, attempts, next_attempt_date, give_up_date, failed_date, created_date, modified_date)
      SELECT gen_random_uuid(), s.id, s.client_id, 1, 'saved', 'patients', 1 + at * 7919 % $2, s.target, at_date, 200,
        (CASE WHEN at % 10000 = 0 THEN 'failed' ELSE 'delivered' END)::delivery_state, 1, at_date, at_date,
        CASE WHEN at % 10000 = 0 THEN at_date END, at_date, at_date
      FROM (SELECT at, now() - interval '25 days' * (1 - at / $1::double precision) AS at_date FROM generate_series(1, $1::bigint) AS at) e
        JOIN (SELECT id, client_id, target, row_number() OVER (ORDER BY id) - 1 AS place FROM subscription WHERE paused_date IS NULL) s
          ON s.place = e.at % 10`,
    [events, patients],
  );
  await client.query(
    `INSERT INTO webhook_attempt (published_event_id, number, started_date, duration_ms, status_code)
     SELECT id, 1, created_date, 20, 200 FROM published_event`,
  );
}

/** The hashes don't match the entries, because no job reads them. */
async function seedAudit(client: pg.Client, entries: number, patients: number): Promise<void> {
  for (let back = YEARS - 1; back >= 0; back--) {
    await client.query("SELECT create_audit_partitions(extract(year FROM now())::int - $1::int)", [back]);
  }
  const at = `extract_date + (now() - extract_date) * (at / $1::double precision)`;
  const source = `(SELECT at, ${at} AS at_date FROM generate_series(1, $1::bigint) AS at,
    LATERAL (SELECT date_trunc('year', now()) - interval '${YEARS - 1} years' AS extract_date) AS first) AS e`;
  await client.query(
    `INSERT INTO audit_entry (practice_id, seq, id, occurred_date, actor_type, actor_id, actor_name, kind, operation, path, patients,
        source, request_id, detail, hash, sealed_date)
      SELECT 1, at, at, at_date, (CASE WHEN at % 7 < 5 THEN 'staff' ELSE 'client' END)::actor_type, 1 + at % 70, 'Actor ' || at % 70,
        (CASE WHEN at % 200 = 0 THEN 'security' WHEN at % 4 = 0 THEN 'change' ELSE 'read' END)::audit_kind, 'policies.get',
        '/api/2.0/patients/' || at % $2 || '/policies', CASE WHEN at % 200 = 0 THEN '{}'::bigint[] ELSE ARRAY[1 + at * 7919 % $2] END,
        'policies_api', md5(at::text), CASE WHEN at % 200 = 0 THEN '{}'::jsonb END, decode(md5(at::text) || md5((-at)::text), 'hex'), at_date
      FROM ${source}`,
    [entries, patients],
  );
  await client.query(
    `INSERT INTO audit_block (practice_id, number, first_seq, last_seq, prev_hash, hash, sealed_date)
      SELECT 1, at / ${BLOCK_ENTRIES}, at - ${BLOCK_ENTRIES - 1}, at, '', decode(md5(at::text), 'hex'), at_date
      FROM ${source} WHERE at % ${BLOCK_ENTRIES} = 0`,
    [entries],
  );
  await client.query("SELECT setval('audit_pending_id_seq', $1::bigint)", [entries]);
}

/** Gives the benchmark's client a token, and an admin a session. Lists all policies. */
export function signIn(url: string): Promise<BenchData> {
  return asAdmin(url, async (client) => {
    const credentials = { clientId: "benchmark", clientSecret: createSecret("cws"), token: createSecret("cwt") };
    await client.query(
      `WITH s AS (INSERT INTO oauth_client_secret (client_id, secret_hash) SELECT id, $2 FROM oauth_client WHERE client_id = $1
         RETURNING id, client_id)
       INSERT INTO oauth_token (token_hash, client_id, secret_id, scopes, created_date, expires_date)
         SELECT $3, client_id, id, '{apiv2}', now(), now() + interval '1 day' FROM s`,
      [credentials.clientId, hash(credentials.clientSecret), hash(credentials.token)],
    );
    const session = randomUUID();
    await client.query(
      `WITH u AS (INSERT INTO staff_user (organization_id, email, name, password_hash, role)
           SELECT organization_id, $1 || '@example.org', 'Robin', '', 'admin' FROM practice RETURNING id),
         g AS (INSERT INTO staff_user_practice (user_id, practice_id) SELECT u.id, p.id FROM u, practice p)
       INSERT INTO staff_session (id, user_id, created_date, seen_date) SELECT $2::uuid, id, now(), now() FROM u`,
      [session, session],
    );
    const targets = await listTargets(client, "policy WHERE status = 'active'");
    return { patients: 0, ...credentials, targets, staff: { cookie: await cookieOf(session), practice: 1 } };
  });
}
