// A failover ends the session that holds a lock, and its holder does not notice: another process takes the lock, and both work on the same run.
import { expect, onTestFinished, test, vi } from "vitest";
import { startConversion } from "@/lib/migration/convert/convert-run";
import { workRun } from "@/lib/migration/work/run-worker";
import { withAdvisoryLock } from "@/lib/platform/db/advisory-lock";
import { sql } from "@/lib/platform/db/sql";
import { OverloadedError } from "@/lib/platform/errors";
import { imageStore } from "@/lib/platform/storage/image-store";
import { expectImagesComplete, legacyCard, legacyPatient } from "../support/legacy-export";
import { seedMigratingPracticeBeforeEach } from "../support/migrating-practice";
import { acceptFixes, readStores, recordsOf, requestFor, rollBack, verify } from "../support/migration-runs";
import { owner } from "../support/owner";

const practice = seedMigratingPracticeBeforeEach();

/** Ends all sessions that hold an advisory lock, as a failover does. */
const loseLocks = () =>
  owner.rows(sql`
    SELECT pg_terminate_backend(pid, 5000) FROM pg_locks
    WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`);

function signal() {
  let send = () => {};
  const sent = new Promise<void>((resolve) => {
    send = resolve;
  });
  return { sent, send };
}

/** Stops the images with these numbers before they are stored, until they are let through. */
function stopImages(...numbers: number[]) {
  const store = imageStore();
  const put = store.put.bind(store);
  const [stops, reached] = [0, 0].map(() => new Map(numbers.map((number) => [number, signal()])));
  let count = 0;
  const spy = vi.spyOn(store, "put").mockImplementation(async (...image) => {
    count += 1;
    reached?.get(count)?.send();
    await stops?.get(count)?.sent;
    return put(...image);
  });
  onTestFinished(() => spy.mockRestore());
  return {
    reached: (number: number) => reached?.get(number)?.sent,
    pass: (number: number) => stops?.get(number)?.send(),
  };
}

test("a lock that was lost is noticed when it matters", async () => {
  const task = { name: "lost", taken: "taken", waitMs: 0 };
  await withAdvisoryLock(task, async (stillHeld) => {
    await stillHeld();
    await loseLocks();
    await expect(stillHeld()).rejects.toThrow(OverloadedError);
    await withAdvisoryLock(task, (another) => another());
  });
});

test("two workers that convert the same run keep each card image and each state", async () => {
  const numbers = [1, 2, 3];
  await practice.migrate(numbers.map((n) => legacyPatient(n)));
  const before = await readStores(practice.id);
  const withCards = numbers.map(async (n) => legacyPatient(n, { insurance_cards: [await legacyCard(10 * n)] }));
  const run = await practice.check(await Promise.all(withCards));
  await acceptFixes(practice.id, run);
  await startConversion(requestFor(practice.id), run);
  const images = stopImages(1, 3);

  const first = workRun(run);
  first.catch(() => {});
  await images.reached(1);
  await loseLocks();
  const second = workRun(run);
  second.catch(() => {});
  // The second worker has converted the first patient, and is about to store the card of the next one.
  await images.reached(3);
  images.pass(1);
  // The first one finds that patient converted, and must not write the next one, because it has lost its lock.
  await expect(first).rejects.toThrow(OverloadedError);
  images.pass(3);

  expect((await second)?.state).toBe("converted");
  expect((await recordsOf(run)).map(({ state }) => state)).toEqual(numbers.map(() => "converted"));
  await expectImagesComplete();
  await verify(practice.id, run);
  expect((await recordsOf(run)).map(({ state }) => state)).toEqual(numbers.map(() => "verified"));
  await rollBack(practice.id, run);
  expect((await recordsOf(run)).map(({ state }) => state)).toEqual(numbers.map(() => "rolled_back"));
  expect(await readStores(practice.id)).toEqual(before);
});

test("a worker that comes too late deletes no image of a finished run", async () => {
  await practice.migrate([legacyPatient(1)]);
  const run = await practice.check([legacyPatient(1, { insurance_cards: [await legacyCard(10)] })]);
  await acceptFixes(practice.id, run);
  await startConversion(requestFor(practice.id), run);
  const images = stopImages(1);
  const first = workRun(run);
  await images.reached(1);
  await loseLocks();
  expect((await workRun(run))?.state).toBe("converted");
  images.pass(1);
  expect((await first)?.state).toBe("converted");
  await expectImagesComplete();
  await verify(practice.id, run);
});
