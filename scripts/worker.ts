// npm run worker: replicates changes and delivers webhooks in a separate process. With STREAM_CONSUMER=worker, the server leaves this
// work to workers. Any number of them may run.
import { pathToFileURL } from "node:url";
import { startAuditSealer } from "@/lib/background/audit-sealer";
import { startMetrics } from "@/lib/background/metrics";
import { startBackground } from "@/lib/background/start";
import { closePool, fillPool } from "@/lib/platform/db/sql";
import { log } from "@/lib/platform/log";
import { startTracing } from "@/lib/platform/tracing";

/** Runs until SIGINT or SIGTERM, then finishes its current work. */
export async function runWorker(): Promise<void> {
  const tracing = await startTracing("crosswalk-worker");
  await fillPool();
  const metrics = await startMetrics();
  const background = await startBackground();
  const sealer = startAuditSealer();
  log.info("worker started");
  process.stdout.write("Worker started. Press Ctrl-C to stop.\n");
  let stopping = false;
  const stop = async () => {
    if (stopping) return;
    stopping = true;
    await background.stop();
    await sealer.stop();
    await metrics.stop();
    await closePool();
    await tracing.stop();
    process.exit(0);
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => void stop());
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  if (process.argv.length > 2) {
    console.error("✗ npm run worker takes no arguments");
    process.exit(2);
  }
  runWorker().catch((error: Error) => {
    console.error(`✗ ${error.message}`);
    process.exit(1);
  });
}
