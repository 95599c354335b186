// A worker picks up waiting runs, even if other processes hold some of the runs.
import { afterEach, expect, test } from "vitest";
import { startMigrationWorker } from "@/lib/background/migration-worker";
import { startConversion } from "@/lib/migration/convert/convert-run";
import { findRun } from "@/lib/migration/runs/queries";
import { withAdvisoryLock } from "@/lib/platform/db/advisory-lock";
import { openSession } from "@/lib/platform/db/session";
import { db } from "@/lib/platform/db/sql";
import type { Background } from "@/lib/platform/jobs/background";
import { seedBasics } from "../support/api";
import { COMPANIES, legacyPatient, writeLines } from "../support/legacy-export";
import { acceptFixes, createCheckedRun, requestFor, seedMigratingPractice } from "../support/migration-runs";

/** A run that is taken is tried for three seconds. */
const PATIENCE = { timeout: 60_000 };

let worker: Background | undefined;
afterEach(async () => {
  await worker?.stop();
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
