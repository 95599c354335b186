import { createTransport } from "nodemailer";
import { WebhookSender } from "@/lib/events/webhooks/send";
import type { Config } from "@/lib/platform/config";
import { property } from "@/lib/platform/objects";
import type { AlertRow, Channel } from "./queue";

/** Sends alerts on one channel. */
export interface AlertSender {
  /** Sends an alert. Never rejects. @returns what went wrong, or null */
  send(alert: AlertRow): Promise<string | null>;
  close(): Promise<void>;
}

/** Less than the pause before the next attempt (`claimAlert`). */
const TIMEOUT_MS = 10_000;

type AlertSettings = Pick<
  Config,
  "SMTP_URL" | "ALERT_FROM" | "ALERT_WEBHOOK_URL" | "WEBHOOK_ALLOW_PRIVATE" | "WEBHOOK_TIMEOUT_MS"
>;

/** Returns the senders of the channels that are configured. @param origin the public URL, for links */
export function alertSenders(settings: AlertSettings, origin: string): Map<Channel, AlertSender> {
  const { SMTP_URL, ALERT_FROM, ALERT_WEBHOOK_URL } = settings;
  return new Map([
    ...(SMTP_URL && ALERT_FROM ? [["email", mailSender({ url: SMTP_URL, from: ALERT_FROM, origin })] as const] : []),
    ...(ALERT_WEBHOOK_URL ? [["webhook", webhookSender(ALERT_WEBHOOK_URL, settings, origin)] as const] : []),
  ]);
}

function mailSender({ url, from, origin }: { url: string; from: string; origin: string }): AlertSender {
  const transport = createTransport({
    url,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
  });
  return {
    async send({ id, recipient, subject, text, path }) {
      try {
        await transport.sendMail({
          from: { name: "Crosswalk", address: from },
          to: recipient,
          subject,
          text: `${text}\n\n${origin}${path}\n\nYou get this because alerts are on for your account. To turn them off, open Settings, Members.\n`,
          // The same in each attempt, so that mail programs show an alert once even if its result was lost.
          messageId: `<alert-${id}@${new URL(origin).hostname}>`,
          headers: { "auto-submitted": "auto-generated" },
        });
        return null;
      } catch (error) {
        // The message of the mail server can repeat the address.
        return `The mail server failed: ${String(property(error, "code") ?? "no code")}.`;
      }
    },
    close: async () => transport.close(),
  };
}

function webhookSender(url: string, settings: AlertSettings, origin: string): AlertSender {
  const policy = { allowPrivate: settings.WEBHOOK_ALLOW_PRIVATE };
  const sender = new WebhookSender({ timeoutMs: settings.WEBHOOK_TIMEOUT_MS, connectionsPerOrigin: 1, policy });
  return {
    async send({ subject, text, path }) {
      const body = { text: `*${escapeSlack(subject)}*\n${escapeSlack(text)}\n<${origin}${path}|Open in Crosswalk>` };
      const { error } = await sender.send({ url, headers: {}, body: JSON.stringify(body) });
      return error;
    },
    close: () => sender.close(),
  };
}

/** Escapes the characters that have a meaning in Slack's messages. */
const escapeSlack = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
