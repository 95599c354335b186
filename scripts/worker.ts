// npm run worker: replicates changes and delivers webhooks in a separate process. With STREAM_CONSUMER=worker, the server leaves this
// work to workers. Any number of them may run.
import { pathToFileURL } from "node:url";
import { startAuditSealer } from "@/lib/background/audit-sealer";
import { startMetrics } from "@/lib/background/metrics";
import { startBackground } from "@/lib/background/start";
import { closePool, fillPool } from "@/lib/platform/db/pool";
import type { Background } from "@/lib/platform/jobs/background";
import { log } from "@/lib/platform/log";
import { announceStop } from "@/lib/platform/readiness";
import { startTracing } from "@/lib/platform/tracing";
import { logUnhandled } from "./lib/log-unhandled";
import { stopOnSignal } from "./lib/stop-on-signal";

/** Runs until SIGINT or SIGTERM, then finishes its current work. */
export async function runWorker(): Promise<void> {
  logUnhandled(() => process.exit(1));
  const starting = start();
  stopOnSignal(async () => (await starting).stop());
  await starting;
  log.info("worker started");
}

async function start(): Promise<Background> {
  const tracing = await startTracing("crosswalk-worker");
  await fillPool();
  const metrics = await startMetrics();
  const background = await startBackground();
  const sealer = startAuditSealer();
  return {
    async stop() {
      announceStop();
      await background.stop();
      await sealer.stop();
      await metrics.stop();
      await closePool();
      await tracing.stop();
    },
  };
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
