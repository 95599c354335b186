import { DELIVERY_JOB } from "@/lib/events/published/due-events";
import { startConsumer } from "@/lib/insurance/replication/consumer";
import { REPLICATION_JOB } from "@/lib/insurance/replication/outbox";
import type { Background } from "@/lib/platform/jobs/background";
import { listenForWakeUps } from "@/lib/platform/jobs/wake-up";
import { reportBackground } from "@/lib/platform/metrics";
import { startAlerts } from "./alerts/start";
import { startHousekeeping } from "./housekeeping";
import { startMigrationWorker } from "./migration-worker";
import { startWebhooks } from "./webhooks";

/**
 * Starts the background work: replication, webhook delivery, migration runs, alerts and housekeeping. It can run in the server
 * (STREAM_CONSUMER=inline), in `npm run worker`, or in both. Sealing the audit is apart, because it runs in every server and worker.
 */
export async function startBackground(): Promise<Background> {
  const listener = await listenForWakeUps([REPLICATION_JOB, DELIVERY_JOB]);
  const parts = [
    listener,
    startConsumer(),
    startWebhooks(),
    startHousekeeping(),
    startMigrationWorker(),
    startAlerts(),
  ];
  reportBackground(true);
  return {
    async stop() {
      reportBackground(false);
      await Promise.all(parts.map((part) => part.stop()));
    },
  };
}
