import { readRecord } from "@/lib/api/webhook-records/queries";
import { startDelivery } from "@/lib/events/delivery/deliver";
import { patientHasOpenEvents } from "@/lib/insurance/replication/outbox";
import type { Background } from "@/lib/platform/jobs/background";

/** Starts the delivery of webhooks; a patient's event waits while replication of its insurances is under way. */
export function startWebhooks(): Background {
  return startDelivery({ readRecord, isHeldBack: patientHasOpenEvents });
}
