// npx crosswalk listen --forward URL: prints the webhooks of a client and forwards them to this machine, until Ctrl-C.
import { setTimeout as pause } from "node:timers/promises";
import { WebhookSender } from "@/lib/events/webhooks/send";
import { readArguments, runProgram, UsageError } from "./lib/command-line";
import { ListenerClient, type WaitingWebhook } from "./lib/listener-client";
import { Output } from "./lib/output";

const USAGE = "Usage: npx crosswalk listen --forward URL [--server URL] [--resource NAME …] [--json]";
const OPTIONS = {
  forward: { type: "string" },
  server: { type: "string" },
  resource: { type: "string", multiple: true },
  json: { type: "boolean" },
} as const;
const POLL_MS = 1_000;
/** As long as Crosswalk waits for a target. */
const TIMEOUT_MS = 10_000;

function readOptions() {
  const { values } = readArguments({ usage: USAGE, options: OPTIONS });
  const { CROSSWALK_CLIENT_ID: id, CROSSWALK_CLIENT_SECRET: secret, CROSSWALK_URL } = process.env;
  const { forward, server = CROSSWALK_URL ?? "http://localhost:3000", resource, json = false } = values;
  if (forward === undefined) throw new UsageError(`--forward is required: where to send the webhooks. ${USAGE}`);
  if (!id || !secret) throw new UsageError("CROSSWALK_CLIENT_ID and CROSSWALK_CLIENT_SECRET are required.");
  return {
    forward: readUrl(forward, "--forward").href,
    client: new ListenerClient({ server: readUrl(server, "--server"), id, secret }),
    resources: resource ?? ["patients"],
    output: new Output(json),
  };
}

function readUrl(text: string, option: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:$/.test(url.protocol)) throw new UsageError(`${option} must be an http or https URL`);
  return url;
}

async function main(): Promise<number> {
  const { forward, client, resources, output } = readOptions();
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
  const { listener_id, signing_secret, expires_date } = await client.create(resources);
  const sender = new WebhookSender({
    timeoutMs: TIMEOUT_MS,
    connectionsPerOrigin: 1,
    policy: { allowPrivate: true },
  });
  const forwardOne = async ({ event_id, headers, body }: WaitingWebhook) => {
    const { status, error, durationMs } = await sender.send({ url: forward, headers, body });
    await client.report(event_id, { status, error });
    const { resource, action, data } = JSON.parse(body);
    const time = new Date().toISOString();
    const event_uuid = headers["webhook-id"];
    await output.print(
      { event: "forwarded", time, event_id, event_uuid, resource, action, status, error, duration_ms: durationMs },
      [
        `${time.slice(11, 19)}  ${resource} ${data.id} ${action}  ${event_uuid}  → ${error ?? status} (${durationMs} ms)`,
      ],
    );
  };
  try {
    await output.print({ event: "listening", listener_id, resources, signing_secret, expires_date }, [
      `Listening for events of ${resources.join(", ")} until ${expires_date}. Press Ctrl-C to stop.`,
      `Signing secret: ${signing_secret}`,
    ]);
    while (!stop.signal.aborted) {
      const webhooks = await client.fetchWebhooks(listener_id);
      for (const webhook of webhooks) if (!stop.signal.aborted) await forwardOne(webhook);
      if (webhooks.length === 0) await pause(POLL_MS, undefined, { signal: stop.signal }).catch(() => {});
    }
  } finally {
    await sender.close();
    await client.end(listener_id);
  }
  return 0;
}

await runProgram(main);
