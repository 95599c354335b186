// Creates past events of generated patients with their delivery attempts. None of them are sent.

import { createClient } from "@/lib/access/clients/commands";
import { mintAccess, systemOrigin } from "@/lib/access/identity/access";
import { createSubscription, pauseSubscription } from "@/lib/events/subscriptions/commands";
import { type Db, db, sql } from "@/lib/platform/db/sql";
import { transaction } from "@/lib/platform/db/transaction";

const CLIENT_NAME = "Seeded listener";
/** No server listens there. */
const TARGET = "https://hooks.seeded.example/crosswalk";
const ERROR = "HTTP 503.";
const ORIGIN = systemOrigin({
  name: "Seed",
  source: "seed",
  operation: "crowd.seed",
  reason: "Its events are made up, and no receiver listens.",
});

/** Returns the paused subscription of a practice. Creates it if an earlier run did not. */
export async function findOrCreateSubscription(practice: { id: number; organizationId: number }): Promise<number> {
  return (await findSeededSubscription(practice.id)) ?? createSeededSubscription(practice);
}

async function findSeededSubscription(practiceId: number): Promise<number | null> {
  const found = await db.first<{ id: number }>(sql`
    SELECT s.id FROM subscription s JOIN oauth_client c ON c.id = s.client_id
    JOIN oauth_client_practice g ON g.client_id = c.id
    WHERE g.practice_id = ${practiceId} AND c.name = ${CLIENT_NAME} AND s.target = ${TARGET} AND s.deleted_date IS NULL LIMIT 1`);
  return found?.id ?? null;
}

async function createSeededSubscription({
  id,
  organizationId,
}: {
  id: number;
  organizationId: number;
}): Promise<number> {
  const practices = [id];
  const client = await createClient({ name: CLIENT_NAME, organizationId, practices, scopedTokens: false });
  const actor = { type: "client" as const, id: client.id, name: CLIENT_NAME };
  const access = mintAccess({ clientId: client.id, organizationId, practices, scopes: ["apiv2"], actor });
  const subscription = await createSubscription({ access, origin: ORIGIN }, { resource: "patients", target: TARGET });
  // Later events of these patients are never delivered, because the subscription is paused.
  await transaction((tx) => pauseSubscription(tx, subscription.id, ORIGIN));
  return subscription.id;
}

/** Writes one event per patient in the last four weeks. One in 50 failed, and one in ten of the others took two attempts. */
export async function seedDeliveries(
  tx: Db,
  { id: practiceId, subscriptionId }: { id: number; subscriptionId: number },
  patients: readonly number[],
): Promise<number> {
  const attempts = await tx.run(sql`
    WITH made AS (
      SELECT patient, mod(hashint8extended(patient, 31) & 2147483647, 50) = 0 AS failed,
        mod(hashint8extended(patient, 32) & 2147483647, 10) = 0 AS slow,
        date_trunc('milliseconds', now())
          - make_interval(secs => 300000 + mod(hashint8extended(patient, 33) & 2147483647, 2000000)) AS at
      FROM unnest(${[...patients]}::bigint[]) AS patient),
    event AS (
      INSERT INTO published_event (event_uuid, subscription_id, client_id, practice_id, event_type, resource, resource_id,
        target, processed_date, error_content, status_code, delivery, attempts, next_attempt_date, give_up_date, failed_date,
        created_date, modified_date)
      SELECT gen_random_uuid(), s.id, s.client_id, ${practiceId}, 'saved', s.resource, made.patient, s.target,
        CASE WHEN NOT failed THEN over END, CASE WHEN failed THEN ${ERROR} END, CASE WHEN failed THEN 503 ELSE 200 END,
        CASE WHEN failed THEN 'failed'::delivery_state ELSE 'delivered' END, CASE WHEN failed OR slow THEN 2 ELSE 1 END, at,
        at + interval '72 hours', CASE WHEN failed THEN over END, at, over
      FROM made CROSS JOIN LATERAL (SELECT at + CASE WHEN failed THEN interval '72 hours' ELSE '1 second' END AS over) ended
      CROSS JOIN subscription s WHERE s.id = ${subscriptionId}
      RETURNING id, delivery, attempts, created_date)
    INSERT INTO webhook_attempt (published_event_id, number, started_date, duration_ms, status_code, error)
    SELECT e.id, number, e.created_date + (number - 1) * interval '500 milliseconds', 40 + e.id % 200,
      CASE WHEN failed THEN 503 ELSE 200 END, CASE WHEN failed THEN ${ERROR} END
    FROM event e CROSS JOIN LATERAL generate_series(1, e.attempts) AS number
    CROSS JOIN LATERAL (SELECT e.delivery = 'failed' OR number < e.attempts AS failed) attempt`);
  return patients.length + attempts;
}
