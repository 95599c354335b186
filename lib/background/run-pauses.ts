import type { Row } from "@/lib/platform/db/rows";

const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;

/** A run, and when it last made progress. */
export type RunProgress = Row<"migration_run", "id" | "changed_date">;

interface Pause {
  changedDate: string;
  /** Attempts without progress. */
  attempts: number;
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

  /**
   * Begins a pause after an attempt.
   *
   * @param run the run before the attempt
   * @returns the number of attempts without progress
   */
  begin(run: RunProgress): number {
    const attempts = (this.#current(run)?.attempts ?? 0) + 1;
    const ms = Math.min(FIRST_PAUSE_MS * 2 ** (attempts - 1), MAX_PAUSE_MS);
    this.#pauses.set(run.id, { changedDate: run.changed_date, attempts, until: performance.now() + ms });
    return attempts;
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
