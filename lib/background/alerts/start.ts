import { config, publicOrigin } from "@/lib/platform/config";
import { type Background, WakeableTimer } from "@/lib/platform/jobs/background";
import { log } from "@/lib/platform/log";
import { findOccasions } from "./occasions";
import { type Channel, claimAlert, enqueueAlerts, isRecipient, removeAlert, settleAlert } from "./queue";
import { type AlertSender, alertSenders } from "./send";

const PAUSE_MS = 60_000;

/** Finds new occasions and sends the alerts that are due, until none is. */
export async function workAlerts(senders: ReadonlyMap<Channel, AlertSender>, signal?: AbortSignal): Promise<void> {
  const channels = [...senders.keys()];
  await enqueueAlerts(await findOccasions(), channels);
  while (!signal?.aborted) {
    const alert = await claimAlert(channels);
    const sender = alert && senders.get(alert.channel);
    if (!sender) return;
    if (alert.channel === "email" && !(await isRecipient(alert))) await removeAlert(alert.id);
    else await settleAlert(alert.id, await sender.send(alert));
  }
}

/** Sends alerts on the configured channels. Several processes can run it at once. */
export function startAlerts(): Background {
  const senders = alertSenders(config(), publicOrigin());
  const stop = new AbortController();
  const timer = new WakeableTimer();
  const loop = async () => {
    while (senders.size > 0 && !stop.signal.aborted) {
      await workAlerts(senders, stop.signal).catch((error: unknown) =>
        log.warn({ err: error }, "could not send alerts; will retry"),
      );
      await timer.sleep(PAUSE_MS);
    }
  };
  const running = loop();
  return {
    async stop() {
      stop.abort();
      timer.wake();
      await running;
      await Promise.all([...senders.values()].map((sender) => sender.close()));
    },
  };
}
