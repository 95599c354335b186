import { startConsumer } from "@/lib/insurance/replication/consumer";
import type { Background } from "@/lib/platform/jobs/background";
import { startHousekeeping } from "./housekeeping";
import { startMigrationWorker } from "./migration-worker";
import { startWebhooks } from "./webhooks";

/**
 * Starts the background work: replication, webhook delivery, migration runs and housekeeping. It can run in the server
 * (STREAM_CONSUMER=inline), in `npm run worker`, or in both. Sealing the audit is apart, because it runs in every server and worker.
 */
export async function startBackground(options: { listen?: boolean } = {}): Promise<Background> {
  const parts = [await startConsumer(options), startWebhooks(), startHousekeeping(), startMigrationWorker()];
  return {
    async stop() {
      await Promise.all(parts.map((part) => part.stop()));
    },
  };
}
