// npm run worker: consumes the stream and delivers webhooks, beside the server or instead of it (STREAM_CONSUMER=worker).
// Any number may run.
import { pathToFileURL } from "node:url";
import { startBackground } from "@/lib/background/start";
import { closePool } from "@/lib/platform/db/pool";
import { log } from "@/lib/platform/log";

/** Runs until SIGINT or SIGTERM, then finishes what is in hand. */
export async function runWorker(): Promise<void> {
  const background = await startBackground({ listen: true });
  log.info("the worker consumes the stream and delivers webhooks");
  process.stdout.write("Worker started. Ctrl-C stops it.\n");
  let stopping = false;
  const stop = async () => {
    if (stopping) return;
    stopping = true;
    await background.stop();
    await closePool();
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
