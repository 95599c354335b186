// Leftovers of a crash between the image store and the database are deleted after a day, and nothing else is.

import { randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { deleteQueuedImages, queueImageDeletion } from "@/lib/insurance/images/deletion-queue";
import { ORPHAN_LOCK, sweepOrphans } from "@/lib/insurance/images/sweep-orphans";
import { withAdvisoryLock } from "@/lib/platform/db/advisory-lock";
import { db, sql } from "@/lib/platform/db/sql";
import { transaction } from "@/lib/platform/db/transaction";
import { OverloadedError } from "@/lib/platform/errors";
import { log } from "@/lib/platform/log";
import { imageStore } from "@/lib/platform/storage/image-store";
import { processImage, storeImage } from "@/lib/platform/storage/process-image";
import { type Basics, call, MARIA, seedBasics, seedPatient } from "@/tests/support/api";
import { imageContent, pngImage } from "@/tests/support/images";

const HOUR_MS = 3_600_000;
const folder = process.env.IMAGE_STORE_DIR as string;
const fileOf = (name: string) => path.join(folder, name.slice(0, 2), name);
const inStore = async (key: string) => (await imageStore().get(key)) !== null;

let basics: Basics;
let token: string;
beforeAll(async () => {
  basics = await seedBasics();
  token = basics.token;
  // A sweep does not run if the database has no images.
  await upload((await createPolicy()).path, 1);
});
beforeEach(async () => {
  for await (const { key } of imageStore().list()) age(key, 0);
  await sweepOrphans({ minAgeMs: -HOUR_MS, force: true });
});

let undeletable: string[] = [];
afterEach(() => {
  vi.restoreAllMocks();
  for (const key of undeletable) fs.rmSync(fileOf(key), { recursive: true, force: true });
  undeletable = [];
});

/** Stores an old object that can neither be read nor deleted, because it is a folder. */
function storeUndeletable(): string {
  const key = randomUUID();
  fs.mkdirSync(path.join(fileOf(key), "inside"), { recursive: true });
  age(key, 25);
  undeletable.push(key);
  return key;
}

const queue = (keys: readonly string[], minutesAgo = 0) =>
  db.run(sql`
    INSERT INTO deleted_image (image_key, deleted_date)
    SELECT unnest(${[...keys]}::uuid[]), now() - ${minutesAgo}::int * interval '1 minute'`);
const listQueue = async () =>
  (await db.rows<{ image_key: string }>(sql`SELECT image_key FROM deleted_image ORDER BY deleted_date`)).map(
    ({ image_key }) => image_key,
  );

/** Sets the age of an object. */
function age(name: string, hours: number): void {
  const then = new Date(Date.now() - hours * HOUR_MS);
  fs.utimesSync(fileOf(name), then, then);
}

/** Simulates an upload whose process dies after storing the image and before recording it in the database. */
async function crashBeforeCommit(hours: number): Promise<string> {
  const { image_key } = await storeImage(await processImage(await pngImage(hours)), new Date().toISOString());
  age(image_key, hours);
  return image_key;
}

async function createPolicy(): Promise<{ path: string; patient: number }> {
  const patient = await seedPatient(basics.enabled, basics.physicians.enabled);
  const { body } = await call("POST", `patients/${patient}/policies`, { token, body: { ...MARIA, rank: 1 } });
  return { path: `patients/${patient}/policies/${body.id}`, patient };
}

async function upload(policy: string, seed: number, image_rank = 1): Promise<string> {
  const body = { image: await imageContent(seed), image_rank };
  const response = await call("POST", `${policy}/card-images`, { token, body });
  expect(response.status).toBe(201);
  return new URL(response.body.url).pathname.split("/").at(-1) as string;
}

test("an image without a record is deleted a day after the crash, not earlier", async () => {
  const [old, young] = [await crashBeforeCommit(25), await crashBeforeCommit(23)];
  expect(await sweepOrphans()).toMatchObject({ listed: 3, orphans: 1, deleted: 1, postponed: 0 });
  expect([await inStore(old), await inStore(young)]).toEqual([false, true]);
  expect(await sweepOrphans()).toMatchObject({ listed: 2, orphans: 0, deleted: 0 });
});

test("leftovers of a killed writer are deleted too, even those of a stored image", async () => {
  const { path: policy } = await createPolicy();
  const key = await upload(policy, 1);
  for (const name of [`${key}.part`, `${randomUUID()}.part`]) {
    fs.mkdirSync(path.dirname(fileOf(name)), { recursive: true });
    fs.writeFileSync(fileOf(name), "hal");
    age(name, 25);
  }
  age(key, 25);
  expect(await sweepOrphans()).toMatchObject({ orphans: 2, deleted: 2, bytes: 6 });
  expect(await inStore(key)).toBe(true);
});

test("a dry run counts and deletes nothing", async () => {
  const old = await crashBeforeCommit(48);
  const report = await sweepOrphans({ dryRun: true });
  expect(report).toMatchObject({ orphans: 1, deleted: 0 });
  expect(report.bytes).toBe(fs.statSync(fileOf(old)).size);
  expect(await inStore(old)).toBe(true);
});

describe("an image stays, however old, if", () => {
  test("a policy or one of its versions shows it", async () => {
    const { path: policy, patient } = await createPolicy();
    const replaced = await upload(policy, 1);
    const shown = await upload(policy, 2);
    const removed = await upload(policy, 3, 2);
    expect((await call("DELETE", `${policy}/card-images/2`, { token })).status).toBe(204);
    const past = await db.rows<{ image_key: string }>(
      sql`SELECT image_key FROM policy_card_image WHERE to_version IS NOT NULL`,
    );
    expect(past.map(({ image_key }) => image_key)).toEqual(expect.arrayContaining([replaced, removed]));
    // Remove the legacy store's references to them.
    await db.run(sql`DELETE FROM legacy_card WHERE patient_id = ${patient}`);
    for (const key of [replaced, shown, removed]) age(key, 10_000);
    expect(await sweepOrphans()).toMatchObject({ orphans: 0, deleted: 0 });
    for (const key of [replaced, shown, removed]) expect(await inStore(key)).toBe(true);
  });

  test("only a current or former legacy card shows it", async () => {
    const patient = await seedPatient(basics.disabled, basics.physicians.disabled);
    for (const seed of [4, 5]) {
      const body = { rank: 1, side: 1, image: await imageContent(seed) };
      expect((await call("POST", `patients/${patient}/insurance_cards`, { token, body })).status).toBe(201);
    }
    const cards = await db.rows<{ image_key: string; ended_date: string | null }>(
      sql`SELECT image_key, ended_date FROM legacy_card WHERE patient_id = ${patient} ORDER BY id`,
    );
    expect(cards.map(({ ended_date }) => ended_date === null)).toEqual([false, true]);
    for (const { image_key } of cards) age(image_key, 10_000);
    expect(await sweepOrphans()).toMatchObject({ orphans: 0, deleted: 0 });
    for (const { image_key } of cards) expect(await inStore(image_key)).toBe(true);
  });

  test("it waits in the deletion queue", async () => {
    const key = await crashBeforeCommit(25);
    await db.run(sql`INSERT INTO deleted_image (image_key, deleted_date) VALUES (${key}::uuid, now())`);
    expect(await sweepOrphans()).toMatchObject({ orphans: 0, deleted: 0 });
    await deleteQueuedImages();
    expect(await inStore(key)).toBe(false);
  });
});

describe("too many orphans to come from crashes stay, unless forced:", () => {
  /** Stores old orphans; their bytes don't matter. */
  function storeOrphans(count: number): string[] {
    return Array.from({ length: count }, () => {
      const key = randomUUID();
      fs.mkdirSync(path.dirname(fileOf(key)), { recursive: true });
      fs.writeFileSync(fileOf(key), "x");
      age(key, 25);
      return key;
    });
  }
  const stored = async () => {
    let objects = 0;
    for await (const _object of imageStore().list()) objects++;
    return objects;
  };
  test("more than a hundred that are more than half of the store", async () => {
    const before = await stored();
    storeOrphans(before + 101);
    await expect(sweepOrphans()).rejects.toMatchObject({
      reason: "implausible_sweep",
      message: expect.stringContaining(`${before + 101} of ${2 * before + 101} card images`),
    });
    expect(await stored()).toBe(2 * before + 101);
    expect(await sweepOrphans({ force: true })).toMatchObject({ deleted: before + 101 });
    expect(await stored()).toBe(before);
  });

  test("up to a hundred are deleted, even if they are all; more only if most of the store is recorded or new", async () => {
    storeOrphans(100);
    expect(await sweepOrphans()).toMatchObject({ deleted: 100 });
    const young = storeOrphans(150);
    for (const key of young) age(key, 1);
    storeOrphans(120);
    expect(await sweepOrphans()).toMatchObject({ deleted: 120 });
  });
});

test("nothing is deleted during an import, which may reuse the key of an orphan", async () => {
  const key = await crashBeforeCommit(25);
  const asImport = { name: ORPHAN_LOCK, taken: "taken", waitMs: 0, shared: true };
  await withAdvisoryLock(asImport, async () => {
    await withAdvisoryLock(asImport, async () => {
      expect(await sweepOrphans()).toMatchObject({ orphans: 1, deleted: 0, postponed: 1 });
    });
  });
  expect(await inStore(key)).toBe(true);
  expect(await sweepOrphans()).toMatchObject({ orphans: 1, deleted: 1, postponed: 0 });
});

test("queued images stay during a conversion, which may store them again, and are deleted afterwards", async () => {
  const key = await crashBeforeCommit(0);
  await db.run(sql`INSERT INTO deleted_image (image_key, deleted_date) VALUES (${key}::uuid, now())`);
  const asConversion = { name: ORPHAN_LOCK, taken: "taken", waitMs: 0, shared: true };
  await withAdvisoryLock(asConversion, () => deleteQueuedImages());
  expect(await inStore(key)).toBe(true);
  await deleteQueuedImages();
  expect(await inStore(key)).toBe(false);
});

test("queued images are deleted in batches, so that no request waits for a long queue", async () => {
  const keys = Array.from({ length: 350 }, () => randomUUID());
  await db.run(sql`INSERT INTO deleted_image (image_key, deleted_date) SELECT unnest(${keys}::uuid[]), now()`);
  expect(await deleteQueuedImages()).toEqual({ mayBeMore: true });
  expect(await deleteQueuedImages()).toEqual({ mayBeMore: false });
  expect(await db.rows(sql`SELECT image_key FROM deleted_image`)).toEqual([]);
});

test("concurrent sweeps and uploads lose no image and delete every orphan", async () => {
  const orphans = await Promise.all(Array.from({ length: 20 }, (_, at) => crashBeforeCommit(30 + at)));
  const { path: policy } = await createPolicy();
  const [keys] = await Promise.all([
    (async () => {
      const created: string[] = [];
      for (let rank = 1; rank <= 9; rank++) created.push(await upload(policy, 10 + rank, rank));
      return created;
    })(),
    sweepOrphans(),
    sweepOrphans(),
    sweepOrphans({ minAgeMs: HOUR_MS }),
  ]);
  await sweepOrphans();
  for (const key of keys) expect(await inStore(key)).toBe(true);
  for (const key of orphans) expect(await inStore(key)).toBe(false);
});

describe("an object that can't be deleted", () => {
  test("goes to the end of the queue, and delays no other", async () => {
    const bad = storeUndeletable();
    await queue([bad], 9);
    await queue(
      Array.from({ length: 199 }, () => randomUUID()),
      8,
    );
    const last = randomUUID();
    await queue([last], 7);
    const lines = vi.spyOn(log, "warn");
    expect(await deleteQueuedImages()).toEqual({ mayBeMore: true });
    expect(await listQueue()).toEqual([last, bad]);
    expect(lines.mock.calls).toEqual([[{ images: 1 }, "card images could not be deleted; will retry"]]);
    expect(await deleteQueuedImages()).toEqual({ mayBeMore: false });
    expect(await listQueue()).toEqual([bad]);
    fs.rmSync(fileOf(bad), { recursive: true });
    await deleteQueuedImages();
    expect(await listQueue()).toEqual([]);
  });

  test("ends a deletion with nine others, so that conversions need not wait for all of them", async () => {
    const bad = Array.from({ length: 200 }, storeUndeletable);
    await queue(bad, 9);
    const deletes = vi.spyOn(imageStore(), "delete");
    expect(await deleteQueuedImages()).toEqual({ mayBeMore: false });
    expect(deletes).toHaveBeenCalledTimes(10);
    expect((await listQueue()).slice(190).toSorted()).toEqual(deletes.mock.calls.map(([key]) => key).toSorted());
    await db.run(sql`DELETE FROM deleted_image`);
  });

  test("delays no other orphan", async () => {
    const bad = Array.from({ length: 12 }, storeUndeletable);
    const orphans = await Promise.all(Array.from({ length: 5 }, () => crashBeforeCommit(25)));
    const lines = vi.spyOn(log, "warn");
    expect(await sweepOrphans()).toMatchObject({ orphans: 17, deleted: 5, failed: 12, postponed: 0 });
    for (const key of orphans) expect(await inStore(key)).toBe(false);
    expect(lines.mock.calls).toEqual([
      [{ images: bad.length }, "orphaned card images could not be deleted; will retry"],
    ]);
  });
});

test("a deletion stops at the first failure if the store doesn't respond, and dequeues what it deleted", async () => {
  const keys = Array.from({ length: 5 }, () => randomUUID());
  for (const [at, key] of keys.entries()) await queue([key], 9 - at);
  const outage = new OverloadedError(undefined, "no store", { reason: "image_store_unavailable" });
  const deletes = vi.spyOn(imageStore(), "delete").mockResolvedValueOnce().mockRejectedValue(outage);
  vi.spyOn(imageStore(), "check").mockRejectedValue(outage);
  await expect(deleteQueuedImages()).rejects.toBe(outage);
  expect(deletes).toHaveBeenCalledTimes(2);
  expect(await listQueue()).toEqual(keys.slice(1));
  await db.run(sql`DELETE FROM deleted_image`);
  await crashBeforeCommit(25);
  await crashBeforeCommit(25);
  await expect(sweepOrphans()).rejects.toBe(outage);
  expect(deletes).toHaveBeenCalledTimes(3);
});

test("an image whose last reference is removed during a deletion stays in the queue", async () => {
  const { path: policy } = await createPolicy();
  const shown = await upload(policy, 1);
  const [orphan, other] = [randomUUID(), randomUUID()];
  await queue([shown, orphan, other]);
  vi.spyOn(imageStore(), "delete").mockImplementationOnce(async () => {
    await queueImageDeletion(db, [shown, shown], new Date(0).toISOString());
  });
  await deleteQueuedImages();
  expect(await listQueue()).toEqual([shown]);
  // The policy shows it, so the next deletion leaves it alone.
  await deleteQueuedImages();
  expect([await listQueue(), await inStore(shown)]).toEqual([[], true]);
});

test("an image that another transaction is about to queue stays in the queue, and the deletion doesn't wait for it", async () => {
  const { path: policy } = await createPolicy();
  const shown = await upload(policy, 1);
  await queue([shown]);
  await transaction(async (tx) => {
    await queueImageDeletion(tx, [shown], new Date().toISOString());
    await deleteQueuedImages();
  });
  expect(await listQueue()).toEqual([shown]);
  await deleteQueuedImages();
});

test("a deletion that is stopped tries no further object", async () => {
  const [key, orphan] = [randomUUID(), await crashBeforeCommit(25)];
  await queue([key]);
  const stop = new AbortController();
  const deletes = vi.spyOn(imageStore(), "delete");
  stop.abort();
  await deleteQueuedImages(stop);
  expect(await sweepOrphans(stop)).toMatchObject({ deleted: 0, failed: 0, postponed: 0 });
  expect(deletes).not.toHaveBeenCalled();
  expect([await listQueue(), await inStore(orphan)]).toEqual([[key], true]);
  await deleteQueuedImages();
});
