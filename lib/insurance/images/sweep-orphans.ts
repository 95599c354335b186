import { clock } from "@/lib/platform/clock";
import { withAdvisoryLock } from "@/lib/platform/db/advisory-lock";
import { isOutdated } from "@/lib/platform/db/applied-migrations";
import { chunks } from "@/lib/platform/db/sql";
import { ConflictError } from "@/lib/platform/errors";
import { log } from "@/lib/platform/log";
import { isDraft } from "@/lib/platform/storage/image-key";
import { imageStore, type StoredObject } from "@/lib/platform/storage/image-store";
import { deleteObjects } from "./delete-objects";
import { findQueuedImageKeys, findUsedImageKeys, knowsAnyImage } from "./image-queries";

const BATCH_SIZE = 500;
const DAY_MS = 24 * 60 * 60 * 1_000;

/**
 * An exclusive lock while objects are deleted, a shared lock during conversions and imports. These may store an image under
 * the same key as a failed earlier run, and it must stay until its record is committed. Uploads never reuse a key.
 */
export const ORPHAN_LOCK = "orphaned card images";

export interface SweepReport {
  /** Objects and drafts in the store. */
  listed: number;
  /** Objects older than the minimum age that nothing refers to. */
  orphans: number;
  /** Total size of the orphans. */
  bytes: number;
  deleted: number;
  /** Orphans that can't be deleted. */
  failed: number;
  /** Orphans left for the next sweep, because an import is running. */
  postponed: number;
}

/** Crashes leave a few orphans. More than this, and more than half of the store, must have another cause. */
const MAX_ORPHANS = 100;

interface SweepOptions {
  minAgeMs?: number;
  dryRun?: boolean;
  force?: boolean;
  signal?: AbortSignal | undefined;
}

/**
 * Deletes orphans that crashes left in the object store: objects older than `minAgeMs` (default a day, far longer than an
 * upload takes) that no policy, legacy card, version or queued deletion refers to. Safe to run during uploads, imports and
 * other sweeps, to interrupt and to repeat. An orphan that can't be deleted delays no other.
 *
 * @param options.dryRun counts the orphans without deleting them
 * @param options.force deletes even if the orphans look like the images of another database
 * @param options.signal stops before the next object
 * @throws ConflictError implausible_sweep, if they do and `force` is not set; outdated_version, if a later version has migrated the
 *   database: its records of images are unknown to this version. Nothing is deleted
 * @throws OverloadedError if the store or the database can't be reached
 */
export async function sweepOrphans(options: SweepOptions = {}): Promise<SweepReport> {
  const { minAgeMs = DAY_MS, dryRun = false, force = false, signal } = options;
  await requireLatest();
  const { listed, orphans } = await findOrphans(clock.now().getTime() - minAgeMs, signal);
  const bytes = orphans.reduce((sum, orphan) => sum + orphan.bytes, 0);
  const report: SweepReport = { listed, orphans: orphans.length, bytes, deleted: 0, failed: 0, postponed: 0 };
  // The list is incomplete, so it doesn't show whether the orphans are plausible.
  if (signal?.aborted) return report;
  if (!force) await requirePlausible(listed, orphans.length);
  if (!dryRun) for (const some of chunks(orphans, BATCH_SIZE)) await deleteOrphans(some, report, signal);
  if (report.orphans > 0) log.info({ ...report, dryRun }, "swept orphaned card images");
  // Without the keys, because a key opens its image.
  if (report.failed > 0) log.warn({ images: report.failed }, "orphaned card images could not be deleted; will retry");
  return report;
}

/** Finds all orphans before any is deleted, because `requirePlausible` needs their total number. */
async function findOrphans(
  before: number,
  signal: AbortSignal | undefined,
): Promise<{ listed: number; orphans: StoredObject[] }> {
  const orphans: StoredObject[] = [];
  let listed = 0;
  let old: StoredObject[] = [];
  for await (const object of imageStore().list()) {
    if (signal?.aborted) break;
    listed++;
    if (object.modifiedDate.getTime() <= before) old.push(object);
    if (old.length < BATCH_SIZE) continue;
    orphans.push(...(await withoutRecords(old)));
    old = [];
  }
  orphans.push(...(await withoutRecords(old)));
  return { listed, orphans };
}

async function requireLatest(): Promise<void> {
  if (!(await isOutdated())) return;
  throw new ConflictError(
    "outdated_version",
    "A later version of Crosswalk has migrated this database. Only that version knows which card images are orphans. Nothing was deleted.",
  );
}

/** Guards against the wrong database: with an empty or another one, every image in the store looks like an orphan. */
async function requirePlausible(listed: number, orphans: number): Promise<void> {
  const tooMany = orphans > MAX_ORPHANS && orphans > listed / 2;
  const foreign = orphans > 0 && !(await knowsAnyImage());
  if (!tooMany && !foreign) return;
  const why = foreign ? "this database has no images" : "crashes leave fewer";
  throw new ConflictError(
    "implausible_sweep",
    `${orphans} of ${listed} card images in the store have no record, and ${why}: they may belong to another database ` +
      "(see DATABASE_URL, IMAGE_STORE_DIR, S3_PREFIX). Nothing was deleted. To delete them anyway, run: npm run images -- sweep --force",
  );
}

async function deleteOrphans(
  orphans: readonly StoredObject[],
  report: SweepReport,
  signal: AbortSignal | undefined,
): Promise<void> {
  // A deletion also ends after some failures, so that imports can get the lock in between.
  for (let left = orphans; left.length > 0 && !signal?.aborted; ) left = await deleteSome(left, report, signal);
}

/** Returns the orphans that were not tried. */
async function deleteSome(
  orphans: readonly StoredObject[],
  report: SweepReport,
  signal: AbortSignal | undefined,
): Promise<StoredObject[]> {
  try {
    return await withAdvisoryLock(
      { name: ORPHAN_LOCK, taken: "An import or a sweep is running.", waitMs: 0 },
      async (stillHeld) => {
        // Check again: an orphan may have been linked before the lock was acquired.
        const unlinked = await withoutRecords(orphans);
        const keys = unlinked.map(({ key }) => key);
        const { deleted, failed, left, outage } = await deleteObjects(keys, { signal, stillHeld });
        report.deleted += deleted.length;
        report.failed += failed.length;
        if (outage) throw outage;
        return unlinked.slice(unlinked.length - left.length);
      },
    );
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
    report.postponed += orphans.length;
    return [];
  }
}

async function withoutRecords(objects: readonly StoredObject[]): Promise<StoredObject[]> {
  const keys = objects.flatMap(({ key }) => (isDraft(key) ? [] : [key]));
  const known = await findUsedImageKeys(keys);
  for (const key of await findQueuedImageKeys(keys)) known.add(key);
  return objects.filter(({ key }) => !known.has(key));
}
