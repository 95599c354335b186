import { config } from "@/lib/platform/config";
import { sql } from "@/lib/platform/db/sql";
import type { Tx } from "@/lib/platform/db/transaction";
import { ConflictError } from "@/lib/platform/errors";

/**
 * Enforces a practice's quota for migration runs: open runs, and bytes of uploaded files and card images. Uploads of
 * one practice are counted one after the other.
 *
 * @param size bytes of the file that is about to be uploaded
 * @throws ConflictError run_quota, storage_quota
 */
export async function requireQuota(tx: Tx, practiceId: number, size: number): Promise<void> {
  const { MIGRATION_OPEN_RUNS: mostRuns, MIGRATION_STORED_BYTES: mostBytes } = config();
  await tx.run(sql`SELECT pg_advisory_xact_lock(hashtext(${`migration quota ${practiceId}`}))`);
  const used = await tx.first<{ runs: number; announced: number; uploaded: number; images: number }>(sql`
    SELECT count(*) FILTER (WHERE state IN ('uploading', 'reading', 'checking', 'checked', 'failed')) AS runs,
      coalesce(sum(source_size) FILTER (WHERE state = 'uploading'), 0)::bigint AS announced,
      coalesce((SELECT sum(octet_length(p.bytes)) FROM migration_part p JOIN migration_run r ON r.id = p.run_id
        WHERE r.practice_id = ${practiceId} AND r.state <> 'uploading'), 0)::bigint AS uploaded,
      coalesce((SELECT sum(octet_length(i.bytes)) FROM migration_image i JOIN migration_run r ON r.id = i.run_id
        WHERE r.practice_id = ${practiceId}), 0)::bigint AS images
    FROM migration_run WHERE practice_id = ${practiceId}`);
  const { runs = 0, announced = 0, uploaded = 0, images = 0 } = used ?? {};
  if (runs >= mostRuns) {
    throw new ConflictError(
      "run_quota",
      `This practice has ${runs} open runs, and may have ${mostRuns}. Cancel the runs you no longer need.`,
    );
  }
  const stored = announced + uploaded + images;
  if (stored + size <= mostBytes) return;
  throw new ConflictError(
    "storage_quota",
    `The runs of this practice store ${inMib(stored)} of ${inMib(mostBytes)}, and the file has ${inMib(size)}. Cancel runs you no longer need, or upload the file packed with gzip.`,
  );
}

const inMib = (bytes: number) => `${Math.ceil(bytes / 1024 ** 2).toLocaleString("en-US")} MiB`;
