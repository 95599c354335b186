import { NOT_DECODED } from "@/lib/migration/read/read-apart";
import { failRun } from "@/lib/migration/runs/migration-run";
import { findRunsAtWork } from "@/lib/migration/runs/queries";
import { workRun } from "@/lib/migration/work/run-worker";
import { db } from "@/lib/platform/db/sql";
import { ConflictError } from "@/lib/platform/errors";
import { type Background, WakeableTimer } from "@/lib/platform/jobs/background";
import { log, originIds } from "@/lib/platform/log";
import { property } from "@/lib/platform/objects";
import { RunPauses } from "./run-pauses";

const POLL_MS = 1_000;
const RUNS_AT_ONCE = 2;

/** Otherwise, a run with an image that crashes its decoder would never end. */
const DECODING_ATTEMPTS = 5;

/** A run that needs work. */
type OpenRun = Awaited<ReturnType<typeof findRunsAtWork>>[number];

/** Returns the IDs of a run for its log lines. */
const idsOf = ({ id, origin }: OpenRun) => ({ run: id, ...originIds(origin) });

/** Fails a run whose images can't be decoded. */
async function giveUp(run: OpenRun): Promise<void> {
  const message = `A card image could not be decoded in ${DECODING_ATTEMPTS} attempts. See the log for the cause, then resume the run.`;
  await failRun(db, { id: run.id, state: "reading" }, message).catch((error: unknown) =>
    log.warn({ err: error, ...idsOf(run) }, "a migration run could not be ended; will try again"),
  );
}

/** Works on migration runs, and resumes those of processes that ended. Several workers can run at once. */
export function startMigrationWorker(): Background {
  const stop = new AbortController();
  const timer = new WakeableTimer();
  const active = new Set<number>();
  /** Runs that others work on. They are tried again after all others, so that a lost process that still holds its lock delays only its own. */
  const taken = new Set<number>();
  const pauses = new RunPauses();
  const work = async (run: OpenRun) => {
    const runId = run.id;
    active.add(runId);
    try {
      await workRun(runId, { signal: stop.signal });
      pauses.end(runId);
    } catch (error) {
      const isTaken = error instanceof ConflictError && error.reason === "already_running";
      if (isTaken) taken.add(runId);
      else {
        const attempts = pauses.begin(run);
        log.warn({ err: error, ...idsOf(run) }, "a migration run was interrupted; will resume it");
        if (property(error, "reason") === NOT_DECODED && attempts >= DECODING_ATTEMPTS) await giveUp(run);
      }
    }
    active.delete(runId);
  };
  const loop = async () => {
    const tasks = new Set<Promise<void>>();
    while (!stop.signal.aborted) {
      const runs = await findRunsAtWork().catch((error: unknown) => {
        log.warn({ err: error }, "could not look for migration runs; will retry");
        return [];
      });
      const waiting = runs.filter((run) => !active.has(run.id) && pauses.isDue(run));
      if (waiting.every(({ id }) => taken.has(id))) taken.clear();
      for (const run of waiting.filter(({ id }) => !taken.has(id)).slice(0, RUNS_AT_ONCE - active.size)) {
        const task = work(run).finally(() => tasks.delete(task));
        tasks.add(task);
      }
      await timer.sleep(POLL_MS);
    }
    await Promise.all(tasks);
  };
  const running = loop();
  return {
    async stop() {
      stop.abort();
      timer.wake();
      await running;
    },
  };
}
