import { findReceivingClients } from "@/lib/access/clients/queries";
import { WebhookSender } from "@/lib/events/webhooks/send";
import { config } from "@/lib/platform/config";
import { type Background, WakeableTimer } from "@/lib/platform/jobs/background";
import { log } from "@/lib/platform/log";
import { claimEvents, type HoldBack } from "./claim-events";
import { deliverEvent } from "./deliver";
import type { RecordReader } from "./payload";

const POLL_MS = 500;
/** Attempts that end within this time share one claim. */
const GATHER_MS = 25;

/** What the layers above hand to the delivery. */
export interface DeliverySources {
  readRecord: RecordReader;
  isHeldBack: HoldBack;
}

/**
 * Delivers webhooks: claims due events and sends them, at most WEBHOOK_CONCURRENCY at once. Any number of processes can run at the
 * same time. `stop` waits for the attempts in progress.
 */
export function startDelivery({ readRecord, isHeldBack }: DeliverySources): Background {
  const { WEBHOOK_CONCURRENCY: most, WEBHOOK_TIMEOUT_MS: timeoutMs, WEBHOOK_ALLOW_PRIVATE: allowPrivate } = config();
  const { WEBHOOK_TARGET_CONCURRENCY: connectionsPerOrigin } = config();
  const sender = new WebhookSender({ timeoutMs, connectionsPerOrigin, policy: { allowPrivate } });
  const alarm = new WakeableTimer();
  const underWay = new Set<Promise<void>>();
  let stopping = false;

  const round = async () => {
    const claimed = underWay.size < most ? await claimEvents(most - underWay.size, isHeldBack) : [];
    const clients = await findReceivingClients([...new Set(claimed.map(({ client_id }) => client_id))]);
    for (const event of claimed) {
      const work = deliverEvent(event, clients.get(event.client_id) ?? null, { sender, readRecord })
        // The lease expires, and the event is tried again.
        .catch((error: unknown) => log.error({ err: error, event: event.id }, "an attempt came to no end"))
        .finally(() => {
          underWay.delete(work);
          alarm.wake();
        });
      underWay.add(work);
    }
    return claimed.length;
  };
  const loop = async () => {
    while (!stopping) {
      await round().catch((error: unknown) => log.error({ err: error }, "webhooks will be looked for again"));
      if (!stopping) await alarm.sleep(POLL_MS);
      if (!stopping) await new Promise((resolve) => setTimeout(resolve, GATHER_MS));
    }
  };
  const running = loop();
  return {
    async stop() {
      stopping = true;
      alarm.wake();
      await running;
      await Promise.all(underWay);
      await sender.close();
    },
  };
}
