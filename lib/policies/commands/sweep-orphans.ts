import { clock } from "@/lib/clock";
import { exclusively } from "@/lib/db/exclusive";
import { ConflictError } from "@/lib/errors";
import { log } from "@/lib/log";
import { isDraft } from "@/lib/storage/image-key";
import { imageStore, type StoredObject } from "@/lib/storage/image-store";
import { findQueuedImageKeys, findUsedImageKeys } from "../image-queries";

const AT_ONCE = 500;
const DAY_MS = 24 * 60 * 60 * 1_000;

/**
 * Held alone by whoever deletes orphans, shared by imports: an import may put an image again under the key that a killed
 * one left, and that key must not be taken for an orphan before its record is committed. Uploads use no key twice.
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

/**
 * Deletes what a crash between store and database left: objects older than `minAgeMs` (default a day, far longer than an
 * upload takes) that no policy, no legacy card, no history and no queued deletion refers to. Safe beside uploads, imports
 * and other sweeps, to stop at any moment and to repeat.
 *
 * @param options.dryRun counts and deletes nothing
 * @throws OverloadedError the store or the database is out of reach
 */
export async function sweepOrphans(options: { minAgeMs?: number; dryRun?: boolean } = {}): Promise<SweepReport> {
  const { minAgeMs = DAY_MS, dryRun = false } = options;
  const before = clock.now().getTime() - minAgeMs;
  const report: SweepReport = { listed: 0, orphans: 0, bytes: 0, deleted: 0, postponed: 0 };
  let old: StoredObject[] = [];
  for await (const object of imageStore().list()) {
    report.listed++;
    if (object.modifiedDate.getTime() <= before) old.push(object);
    if (old.length < AT_ONCE) continue;
    await sweep(old, dryRun, report);
    old = [];
  }
  await sweep(old, dryRun, report);
  if (report.orphans > 0) log.info({ ...report, dryRun }, "swept orphaned card images");
  return report;
}

async function sweep(old: readonly StoredObject[], dryRun: boolean, report: SweepReport): Promise<void> {
  const orphans = await withoutRecords(old);
  report.orphans += orphans.length;
  report.bytes += orphans.reduce((sum, { bytes }) => sum + bytes, 0);
  if (dryRun || orphans.length === 0) return;
  try {
    await exclusively({ name: ORPHAN_LOCK, taken: "An import or a sweep is under way.", waitMs: 0 }, async () => {
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
