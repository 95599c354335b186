import type { RunRow } from "./schema";

/** How the work of a run is watched, and stopped after the batch in hand. */
export interface WorkOptions {
  signal?: AbortSignal | undefined;
  onProgress?: ((run: RunRow) => void) | undefined;
}
