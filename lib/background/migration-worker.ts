import { findRunsAtWork } from "@/lib/migration/runs/queries";
import { workRun } from "@/lib/migration/work/run-worker";
import { ConflictError } from "@/lib/platform/errors";
import { type Background, WakeableTimer } from "@/lib/platform/jobs/background";
import { log } from "@/lib/platform/log";

const POLL_MS = 1_000;
const RUNS_AT_ONCE = 2;

/** Does the work of migration runs, those that a process left behind too. Any number may run beside each other. */
export function startMigrationWorker(): Background {
  const stop = new AbortController();
  const alarm = new WakeableTimer();
  const inHand = new Set<number>();
  const take = async (runId: number) => {
    inHand.add(runId);
    try {
      await workRun(runId, { signal: stop.signal });
    } catch (error) {
      const isTaken = error instanceof ConflictError && error.reason === "already_running";
      if (!isTaken) log.warn({ err: error, run: runId }, "a migration run will be taken up again");
    }
    inHand.delete(runId);
  };
  const loop = async () => {
    const tasks = new Set<Promise<void>>();
    while (!stop.signal.aborted) {
      const runs = await findRunsAtWork().catch((error: unknown) => {
        log.warn({ err: error }, "migration runs will be looked for again");
        return [];
      });
      for (const runId of runs.filter((id) => !inHand.has(id)).slice(0, RUNS_AT_ONCE - inHand.size)) {
        const task = take(runId).finally(() => tasks.delete(task));
        tasks.add(task);
      }
      await alarm.sleep(POLL_MS);
    }
    await Promise.all(tasks);
  };
  const running = loop();
  return {
    async stop() {
      stop.abort();
      alarm.wake();
      await running;
    },
  };
}
