// Batches of a run are written in order, while the statements of the next one already run.
import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { writeOverlapping } from "@/lib/migration/runs/batches";
import { cancelRun, RunInterrupted, setRecordState, workBatch } from "@/lib/migration/runs/migration-run";
import { findRun } from "@/lib/migration/runs/queries";
import type { RunRow } from "@/lib/migration/runs/schema";
import { db, sql } from "@/lib/platform/db/sql";
import type { Tx } from "@/lib/platform/db/transaction";
import { legacyPatient } from "../support/legacy-export";
import { seedMigratingPracticeBeforeEach, statesOf } from "../support/migrating-practice";
import { requestFor } from "../support/migration-runs";

const CHECKED = "create checked 0";
const STALE = "create stale 0";

const practice = seedMigratingPracticeBeforeEach();

async function startConverting(): Promise<RunRow> {
  const id = await practice.check([1, 2, 3].map((number) => legacyPatient(number)));
  await practice.startConverting(id);
  const run = await findRun(db, id);
  if (!run) throw new Error("the run is missing");
  return run;
}

async function* batchesOfOne() {
  for (const number of [1, 2, 3]) yield { batch: number, last: number };
}

/** Marks each record as stale in its own batch. */
function write(run: RunRow, work: (number: number, tx: Tx) => Promise<void>, onProgress?: (run: RunRow) => void) {
  const begin = async (previous: Promise<RunRow>, { batch: number }: { batch: number }) => ({
    writing: workBatch(previous, async (tx) => {
      setRecordState(tx, run.id, [number], "stale");
      await work(number, tx);
      return { done: number };
    }),
  });
  return writeOverlapping(run, batchesOfOne(), begin, { onProgress });
}

test("the next batch runs before the current one commits, and commits after it", async () => {
  const run = await startConverting();
  const progress: number[] = [];
  let release = () => {};
  const second = new Promise<void>((resolve) => {
    release = resolve;
  });
  const work = async (number: number, tx: Tx) => {
    await tx.settle();
    if (number === 1) await second;
    if (number === 2) release();
  };
  const after = await write(run, work, ({ done }) => progress.push(done));
  expect([after.done, progress]).toEqual([3, [1, 2, 3]]);
  expect(await statesOf(run.id)).toEqual([STALE, STALE, STALE]);
});

test("a batch that fails takes the next one with it", async () => {
  const run = await startConverting();
  const work = async (number: number) => {
    if (number === 2) throw new Error("the second fails");
  };
  await expect(write(run, work)).rejects.toThrow("the second fails");
  expect(await statesOf(run.id)).toEqual([STALE, CHECKED, CHECKED]);
  expect(await findRun(db, run.id)).toMatchObject({ state: "converting", done: 1 });
});

test("a batch that began before its run was canceled writes nothing", async () => {
  const run = await startConverting();
  const work = async (number: number) => {
    if (number === 1) await untilSomeoneWaits();
    if (number === 2) await cancelRun(requestFor(practice.id), run.id);
  };
  await expect(write(run, work)).rejects.toThrow(RunInterrupted);
  expect(await statesOf(run.id)).toEqual([STALE, CHECKED, CHECKED]);
});

/** Waits until a session waits for a lock: the cancellation, for the run that the first batch has locked. */
async function untilSomeoneWaits(): Promise<void> {
  const waiting = sql`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  while (!(await db.first(waiting))) await setTimeout(5);
}
