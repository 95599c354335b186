import { chunks } from "@/lib/platform/chunks";
import { clock } from "@/lib/platform/clock";
import { withAdvisoryLock } from "@/lib/platform/db/advisory-lock";
import { ConflictError } from "@/lib/platform/errors";
import { log } from "@/lib/platform/log";
import { isDraft } from "@/lib/platform/storage/image-key";
import { imageStore, type StoredObject } from "@/lib/platform/storage/image-store";
import { findQueuedImageKeys, findUsedImageKeys, knowsAnyImage } from "./image-queries";

const AT_ONCE = 500;
const DAY_MS = 24 * 60 * 60 * 1_000;

/**
 * Held alone while objects are deleted, shared by conversions and imports: these may store an image again under the key
 * that a killed or rolled-back one left, and it must stay until its record is committed. Uploads use no key twice.
 */
export const ORPHAN_LOCK = "orphaned card images";

export interface SweepReport {
  /** Objects and drafts in the store. */
  listed: number;
  /** Those past the grace time that nothing refers to. */
  orphans: number;
  /** Of the orphans. */
  bytes: number;
  deleted: number;
  /** Orphans left to the next sweep, because an import is under way. */
  postponed: number;
}

/** Crashes leave a few orphans; more than this, and more than half of the store, comes of something else. */
const MOST_ORPHANS = 100;

/**
 * Deletes what a crash between store and database left: objects older than `minAgeMs` (default a day, far longer than an
 * upload takes) that no policy, no legacy card, no history and no queued deletion refers to. Safe beside uploads, imports
 * and other sweeps, to stop at any moment and to repeat.
 *
 * @param options.dryRun counts and deletes nothing
 * @param options.force deletes also what looks like the images of another database
 * @throws ConflictError implausible_sweep, where it looks like that; nothing was deleted
 * @throws OverloadedError the store or the database is out of reach
 */
export async function sweepOrphans(
  options: { minAgeMs?: number; dryRun?: boolean; force?: boolean } = {},
): Promise<SweepReport> {
  const { minAgeMs = DAY_MS, dryRun = false, force = false } = options;
  const { listed, orphans } = await findOrphans(clock.now().getTime() - minAgeMs);
  if (!force) await requirePlausible(listed, orphans.length);
  const bytes = orphans.reduce((sum, orphan) => sum + orphan.bytes, 0);
  const report: SweepReport = { listed, orphans: orphans.length, bytes, deleted: 0, postponed: 0 };
  if (!dryRun) for (const some of chunks(orphans, AT_ONCE)) await deleteOrphans(some, report);
  if (report.orphans > 0) log.info({ ...report, dryRun }, "swept orphaned card images");
  return report;
}

/** All are found before the first is deleted: only then can be judged whether that may be. */
async function findOrphans(before: number): Promise<{ listed: number; orphans: StoredObject[] }> {
  const orphans: StoredObject[] = [];
  let listed = 0;
  let old: StoredObject[] = [];
  for await (const object of imageStore().list()) {
    listed++;
    if (object.modifiedDate.getTime() <= before) old.push(object);
    if (old.length < AT_ONCE) continue;
    orphans.push(...(await withoutRecords(old)));
    old = [];
  }
  orphans.push(...(await withoutRecords(old)));
  return { listed, orphans };
}

/** To a database that is empty, or another installation's, every image in the store is an orphan. */
async function requirePlausible(listed: number, orphans: number): Promise<void> {
  const tooMany = orphans > MOST_ORPHANS && orphans > listed / 2;
  const foreign = orphans > 0 && !(await knowsAnyImage());
  if (!tooMany && !foreign) return;
  const why = foreign ? "this database knows no image at all" : "crashes leave fewer";
  throw new ConflictError(
    "implausible_sweep",
    `${orphans} of ${listed} card images in the store have no record, and ${why}: they may be those of another database ` +
      "(see DATABASE_URL, IMAGE_STORE_DIR, S3_PREFIX). Nothing was deleted. If they may go: npm run images -- sweep --force",
  );
}

async function deleteOrphans(orphans: readonly StoredObject[], report: SweepReport): Promise<void> {
  try {
    await withAdvisoryLock({ name: ORPHAN_LOCK, taken: "An import or a sweep is under way.", waitMs: 0 }, async () => {
      // Asked again: what was an orphan may have got its record before the lock was held.
      for (const { key } of await withoutRecords(orphans)) {
        await imageStore().delete(key);
        report.deleted++;
      }
    });
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
    report.postponed += orphans.length;
  }
}

async function withoutRecords(objects: readonly StoredObject[]): Promise<StoredObject[]> {
  const keys = objects.flatMap(({ key }) => (isDraft(key) ? [] : [key]));
  const known = await findUsedImageKeys(keys);
  for (const key of await findQueuedImageKeys(keys)) known.add(key);
  return objects.filter(({ key }) => !known.has(key));
}
