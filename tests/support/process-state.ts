// What the product keeps in a process: settings, connections, caches. Files that share a process must not find those of another.
import { closePool } from "@/lib/platform/db/pool";

// Processes that decode or draw have no state of a database, and are slow to start.
const KEPT = new Set(["crosswalkDecodeQueue", "crosswalkDocumentQueues"]);

/** Closes the connections, and forgets everything that depends on settings or on the database. */
export async function forgetProcessState(): Promise<void> {
  const closing = closePool();
  const shared: { [name: `crosswalk${string}`]: unknown } = globalThis;
  const values = shared.crosswalkValues instanceof Map ? shared.crosswalkValues : new Map<string, unknown>();
  for (const name of [...values.keys()]) if (!KEPT.has(name)) values.delete(name);
  await closing;
}

/** Changes settings in a hook. A timer left running by an earlier file may already have loaded the old ones. */
export function changeSettings(settings: Record<string, string>): Promise<void> {
  Object.assign(process.env, settings);
  return forgetProcessState();
}
