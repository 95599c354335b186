import { config, publicOrigin } from "@/lib/platform/config";
import { type Background, WakeableTimer } from "@/lib/platform/jobs/background";
import { log } from "@/lib/platform/log";
import { observeFailedAlert } from "@/lib/platform/metrics";
import { findConditions } from "./conditions";
import { type Channel, claimAlert, enqueueAlerts, isRecipient, removeAlert, settleAlert } from "./queue";
import { type AlertSender, alertSenders } from "./send";

const PAUSE_MS = 60_000;

/** Finds new conditions, and sends every alert that is due. */
export async function workAlerts(senders: ReadonlyMap<Channel, AlertSender>, signal?: AbortSignal): Promise<void> {
  await enqueueAlerts(await findConditions(), [...senders.keys()]);
  await Promise.all([...senders].map(([channel, sender]) => sendDue(channel, sender, signal)));
}

/** Sends the alerts of a channel that are due. Stops after a failure: the next one would probably fail, too, and take as long. */
async function sendDue(channel: Channel, sender: AlertSender, signal: AbortSignal | undefined): Promise<void> {
  while (!signal?.aborted) {
    const alert = await claimAlert(channel);
    if (!alert) return;
    if (channel === "email" && !(await isRecipient(alert))) {
      await removeAlert(alert.id);
      continue;
    }
    const error = await sender.send(alert);
    await settleAlert(alert.id, error);
    if (error === null) continue;
    observeFailedAlert(channel);
    log.warn({ alert: alert.id, channel, error }, "an alert could not be sent; will retry");
    return;
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
