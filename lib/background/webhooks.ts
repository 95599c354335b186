import { readRecords } from "@/lib/api/webhook-records/queries";
import { startDelivery } from "@/lib/events/delivery/deliver";
import { patientHasOpenEvents } from "@/lib/insurance/replication/outbox";
import type { Background } from "@/lib/platform/jobs/background";

/** Starts the delivery of webhooks. Events of a patient wait until its insurances are replicated. */
export function startWebhooks(): Background {
  return startDelivery({ readRecords, isHeldBack: patientHasOpenEvents });
}
