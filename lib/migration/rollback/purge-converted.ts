import type { Origin } from "@/lib/access/identity/access";
import { queueImageDeletion } from "@/lib/insurance/patient-write/queue-image-deletion";
import { isoNow } from "@/lib/platform/clock";
import { json, type Sql, sql } from "@/lib/platform/db/sql";
import type { Tx } from "@/lib/platform/db/transaction";

interface Purge {
  runId: number;
  origin: Origin;
}

/**
 * Deletes the patients that these records of a run created, with their policies, cards and history. The database keeps all of it
 * in `migration_removal` first. They must be locked, and the run must be rolling back.
 */
export async function purgeCreatedPatients(
  tx: Tx,
  { runId, origin, numbers }: Purge & { numbers: readonly number[] },
): Promise<void> {
  const records = sql`${[...numbers]}::int[]`;
  await purge(tx, sql`purge_created_patients(${runId}, ${records}, ${whoAndWhen(origin)})`);
}

/** Deletes policies that a record of a run added to a patient who was here before, likewise. */
export async function purgeAddedPolicies(
  tx: Tx,
  { runId, origin, number, policies }: Purge & { number: number; policies: readonly number[] },
): Promise<void> {
  const ids = sql`${[...policies]}::bigint[]`;
  await purge(tx, sql`purge_added_policies(${runId}, ${number}::int, ${ids}, ${whoAndWhen(origin)})`);
}

/** Images are deleted from the store once nothing refers to them. */
async function purge(tx: Tx, call: Sql): Promise<void> {
  const images = await tx.rows<{ image_key: string }>(sql`SELECT ${call} AS image_key`);
  await queueImageDeletion(
    tx,
    images.map(({ image_key }) => image_key),
    isoNow(),
  );
}

function whoAndWhen({ actor, source, reason, requestId }: Origin): Sql {
  return sql`${json(actor)}, ${source}, ${reason}, ${requestId}, ${isoNow()}::timestamptz`;
}
