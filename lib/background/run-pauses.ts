import type { Row } from "@/lib/platform/db/rows";

const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;

/** A run, and when it last made progress. */
export type RunProgress = Row<"migration_run", "id" | "changed_date">;

interface Pause {
  changedDate: string;
  ms: number;
  until: number;
}

/**
 * Pauses between the attempts of this process to work on runs that make no progress, because what they wait for may be away for hours. A
 * pause takes a second, each further one twice as long, up to a minute. Progress ends it.
 */
export class RunPauses {
  readonly #pauses = new Map<number, Pause>();

  /** Returns whether to work on a run now. */
  isDue(run: RunProgress): boolean {
    const pause = this.#current(run);
    return !pause || pause.until <= performance.now();
  }

  /** Begins a pause after an attempt. @param run the run before the attempt */
  begin(run: RunProgress): void {
    const before = this.#current(run);
    const ms = before ? Math.min(2 * before.ms, MAX_PAUSE_MS) : FIRST_PAUSE_MS;
    this.#pauses.set(run.id, { changedDate: run.changed_date, ms, until: performance.now() + ms });
  }

  end(runId: number): void {
    this.#pauses.delete(runId);
  }

  /** Returns the last pause of a run, unless the run has made progress since. */
  #current({ id, changed_date }: RunProgress): Pause | undefined {
    const pause = this.#pauses.get(id);
    return pause?.changedDate === changed_date ? pause : undefined;
  }
}
