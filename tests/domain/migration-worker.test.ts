// A worker picks up waiting runs, even if other processes hold some of the runs.
import { afterEach, expect, test, vi } from "vitest";
import { startMigrationWorker } from "@/lib/background/migration-worker";
import { RunPauses } from "@/lib/background/run-pauses";
import { startConversion } from "@/lib/migration/convert/convert-run";
import { findRun } from "@/lib/migration/runs/queries";
import { withAdvisoryLock } from "@/lib/platform/db/advisory-lock";
import { openSession } from "@/lib/platform/db/session";
import { db } from "@/lib/platform/db/sql";
import { OverloadedError } from "@/lib/platform/errors";
import type { Background } from "@/lib/platform/jobs/background";
import { log } from "@/lib/platform/log";
import { imageStore } from "@/lib/platform/storage/image-store";
import { seedBasics } from "../support/api";
import { COMPANIES, legacyCard, legacyPatient, writeLines } from "../support/legacy-export";
import { acceptFixes, createCheckedRun, requestFor, seedMigratingPractice } from "../support/migration-runs";

/** A run that is taken is tried for three seconds. */
const PATIENCE = { timeout: 60_000 };

let worker: Background | undefined;
afterEach(async () => {
  await worker?.stop();
  worker = undefined;
  vi.restoreAllMocks();
});

test("runs of a lost process, which still holds their locks, delay no other run", async () => {
  const { organization } = await seedBasics();
  const file = writeLines("worker.ndjson", [legacyPatient(1)]);
  const companies = writeLines("companies.ndjson", COMPANIES);
  const runs: number[] = [];
  for (let at = 0; at < 4; at++) {
    const practice = await seedMigratingPractice(organization);
    const run = await createCheckedRun(practice, file, { companies });
    await acceptFixes(practice, run);
    await startConversion(requestFor(practice), run);
    runs.push(run);
  }
  const stateOf = async (run = 0) => (await findRun(db, run))?.state;
  const [first = 0, second = 0, ...others] = runs;
  const hold = (run: number, work: () => Promise<void>) =>
    withAdvisoryLock({ name: `migration run ${run}`, taken: "taken", waitMs: 0 }, work);
  await hold(first, () =>
    hold(second, async () => {
      worker = startMigrationWorker();
      for (const run of others) await expect.poll(() => stateOf(run), PATIENCE).toBe("converted");
      expect([await stateOf(first), await stateOf(second)]).toEqual(["converting", "converting"]);
    }),
  );
  for (const run of [first, second]) await expect.poll(() => stateOf(run), PATIENCE).toBe("converted");
});

test("a run that waits for the image store is tried after longer and longer pauses, and then continues", async () => {
  const practice = await seedMigratingPractice((await seedBasics()).organization);
  const companies = writeLines("companies.ndjson", COMPANIES);
  const file = writeLines("waiting.ndjson", [legacyPatient(1, { insurance_cards: [await legacyCard(1)] })]);
  const run = await createCheckedRun(practice, file, { companies });
  await acceptFixes(practice, run);
  await startConversion(requestFor(practice), run);
  const interrupted: number[] = [];
  vi.spyOn(log, "warn").mockImplementation((_facts: unknown, message?: string) => {
    if (message?.startsWith("a migration run was interrupted")) interrupted.push(performance.now());
  });
  const puts = vi.spyOn(imageStore(), "put").mockRejectedValue(new OverloadedError(undefined, "no store"));
  worker = startMigrationWorker();
  // The first attempt makes progress, as it stores the payers.
  await expect.poll(() => interrupted.length, PATIENCE).toBe(5);
  const [, second = 0, , , fifth = 0] = interrupted;
  expect(fifth - second).toBeGreaterThanOrEqual(1_000 + 2_000 + 4_000);
  expect(await findRun(db, run)).toMatchObject({ state: "converting", error: "no store" });
  puts.mockRestore();
  await expect.poll(async () => (await findRun(db, run))?.state, PATIENCE).toBe("converted");
});

test("the pauses of a run become twice as long up to a minute, until it makes progress or its work ends", () => {
  const pauses = new RunPauses();
  const run = { id: 1, changed_date: "2026-11-21T09:00:00.000Z" };
  let now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => now);
  /** Fails an attempt, and returns the length of the pause in seconds. */
  const fail = (failed = run) => {
    pauses.begin(failed);
    const began = now;
    while (!pauses.isDue(failed)) now += 1_000;
    return (now - began) / 1_000;
  };
  expect(Array.from({ length: 8 }, () => fail())).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
  pauses.begin(run);
  expect(pauses.isDue({ ...run, id: 2 })).toBe(true);
  const later = { ...run, changed_date: "2026-11-21T09:05:00.000Z" };
  expect([pauses.isDue(run), pauses.isDue(later)]).toEqual([false, true]);
  expect([fail(later), fail(later)]).toEqual([1, 2]);
  pauses.end(run.id);
  expect(fail(later)).toBe(1);
});

test("PostgreSQL notices within half a minute that the machine of a session is lost", async () => {
  const session = await openSession();
  const show = async (name: string) =>
    Number((await session.query(`SHOW tcp_keepalives_${name}`)).rows[0][`tcp_keepalives_${name}`]);
  const [idle, interval, count] = [await show("idle"), await show("interval"), await show("count")];
  await session.end();
  // 0 is the operating system's default, which is two hours for the first.
  expect([idle, interval, count]).not.toContain(0);
  expect(idle + interval * count).toBeLessThanOrEqual(30);
});
