// Batches of a run are written in order, while the statements of the next one already run.
import { expect, test, vi } from "vitest";
import { writeOverlapping } from "@/lib/migration/runs/batches";
import { RunInterrupted, setRecordState, workBatch } from "@/lib/migration/runs/migration-run";
import { findRun } from "@/lib/migration/runs/queries";
import type { RunRow } from "@/lib/migration/runs/schema";
import { pool } from "@/lib/platform/db/pool";
import { db, sql } from "@/lib/platform/db/sql";
import type { Tx } from "@/lib/platform/db/transaction";
import { legacyPatient } from "../support/legacy-export";
import { seedMigratingPracticeBeforeEach, statesOf } from "../support/migrating-practice";

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

/** Makes the first batch wait until the second has run its statements. */
function gate() {
  let release = () => {};
  const second = new Promise<void>((resolve) => {
    release = resolve;
  });
  return async (number: number, tx: Tx) => {
    await tx.settle();
    if (number === 1) await second;
    if (number === 2) release();
  };
}

test("the next batch runs before the current one commits, and commits after it", async () => {
  const run = await startConverting();
  const progress: number[] = [];
  const after = await write(run, gate(), ({ done }) => progress.push(done));
  expect([after.done, progress]).toEqual([3, [1, 2, 3]]);
  expect(await statesOf(run.id)).toEqual([STALE, STALE, STALE]);
});

test("with few connections, each batch begins after the previous one has committed", async () => {
  const run = await startConverting();
  const size = vi.spyOn(pool().options, "max", "get").mockReturnValue(2);
  const steps: string[] = [];
  const work = async (number: number) => void steps.push(`${number} begins`);
  await write(run, work, ({ done }) => steps.push(`${done} is committed`)).finally(() => size.mockRestore());
  expect(steps).toEqual([1, 2, 3].flatMap((number) => [`${number} begins`, `${number} is committed`]));
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
  const wait = gate();
  const work = async (number: number, tx: Tx) => {
    await wait(number, tx);
    if (number === 1) await tx.run(sql`UPDATE migration_run SET state = 'cancelled' WHERE id = ${run.id}`);
  };
  await expect(write(run, work)).rejects.toThrow(RunInterrupted);
  expect(await statesOf(run.id)).toEqual([STALE, CHECKED, CHECKED]);
});
