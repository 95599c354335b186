import { auditRead } from "@/lib/access/audit/commands";
import { findReceivingClients, type ReceivingClient } from "@/lib/access/clients/queries";
import type { WebhookHeaders } from "@/lib/events/webhooks/schema";
import { SigningKeyUnreadableError } from "@/lib/events/webhooks/sealing";
import type { WebhookRequest } from "@/lib/events/webhooks/send";
import { signWebhook } from "@/lib/events/webhooks/signing";
import { findSigningKeys } from "@/lib/events/webhooks/signing-keys";
import { clock } from "@/lib/platform/clock";
import { log, originIds } from "@/lib/platform/log";
import type { ClaimedEvent } from "./claim-events";
import { buildEnvelope, goneRecord, type ReadableRecord, type RecordsReader, recordPath } from "./payload";
import type { AttemptOutcome } from "./settle-attempts";

/** A claimed event, with its signed webhook or the outcome of an attempt that is not sent. */
export type PreparedEvent =
  | { event: ClaimedEvent; webhook: WebhookRequest }
  | { event: ClaimedEvent; outcome: AttemptOutcome };

/** A record with its JSON, which all subscribers of the record share. */
type RenderedRecord = Omit<ReadableRecord, "data"> & { json: string };
type ReadRendered = (event: ClaimedEvent, client: ReceivingClient) => Promise<RenderedRecord>;

/**
 * Prepares the attempts of claimed events: reads their records with the rights of the receiving clients, audits the reads and signs the
 * bodies. Events whose clients have lost their access are canceled. The failure of one event does not affect others.
 */
export async function prepareWebhooks(
  events: readonly ClaimedEvent[],
  readRecords: RecordsReader,
): Promise<PreparedEvent[]> {
  try {
    const clients = await findReceivingClients([...new Set(events.map(({ client_id }) => client_id))]);
    const read = readTogether(events, clients, readRecords);
    return await Promise.all(events.map((event) => prepare(event, receiverOf(event, clients), read)));
  } catch (error) {
    log.error({ err: error, events: events.map(({ id }) => id) }, "webhooks were not sent");
    return events.map((event) => ({ event, outcome: notSent("an internal error occurred") }));
  }
}

/** Returns the client of an event, or null if it is disabled or has lost access to the event's practice. */
function receiverOf(event: ClaimedEvent, clients: ReadonlyMap<number, ReceivingClient>): ReceivingClient | null {
  const client = clients.get(event.client_id);
  return client?.access.practices.includes(event.practice_id) ? client : null;
}

async function prepare(
  event: ClaimedEvent,
  client: ReceivingClient | null,
  read: ReadRendered,
): Promise<PreparedEvent> {
  if (!client) return { event, outcome: "canceled" };
  try {
    const record = await read(event, client);
    await auditDelivery(event, client, record);
    return { event, webhook: sign(event, client, record) };
  } catch (error) {
    const ids = { event: event.id, subscription: event.subscription_id, ...originIds(event) };
    log.error({ err: error, ...ids }, "a webhook was not sent");
    const isUnsigned = error instanceof SigningKeyUnreadableError;
    return { event, outcome: notSent(isUnsigned ? "it could not be signed" : "an internal error occurred") };
  }
}

/** Returns the outcome of an attempt that was not sent. */
export function notSent(why: string): AttemptOutcome {
  return { status: null, error: `Not sent: ${why}.`, durationMs: 0 };
}

/**
 * Reads the records of many events with one call per resource and set of practices, because practices are all that a client's access
 * to records depends on. If that fails, each record is read alone, so that it only affects its own events.
 */
function readTogether(
  events: readonly ClaimedEvent[],
  clients: ReadonlyMap<number, ReceivingClient>,
  readRecords: RecordsReader,
): ReadRendered {
  const ids = new Map<string, Set<number>>();
  const groupOf = ({ resource }: ClaimedEvent, { access }: ReceivingClient) => `${resource} ${access.practices}`;
  for (const event of events) {
    const client = receiverOf(event, clients);
    if (!client || event.event_type === "deleted") continue;
    const group = groupOf(event, client);
    ids.set(group, (ids.get(group) ?? new Set()).add(event.resource_id));
  }
  const reads = new Map<string, Promise<Map<number, RenderedRecord>>>();
  return async (event, client) => {
    const { access } = client;
    const { resource, resource_id: id } = event;
    if (event.event_type === "deleted") return render(goneRecord(event));
    const group = groupOf(event, client);
    const wanted = [...(ids.get(group) ?? [])];
    const together = reads.get(group) ?? readRendered(readRecords(access, resource, wanted));
    reads.set(group, together);
    const records = await together.catch(() => readRendered(readRecords(access, resource, [id])));
    return records.get(id) ?? render(goneRecord(event));
  };
}

async function readRendered(read: ReturnType<RecordsReader>): Promise<Map<number, RenderedRecord>> {
  return new Map([...(await read)].map(([id, record]) => [id, render(record)]));
}

function render({ data, ...subjects }: ReadableRecord): RenderedRecord {
  return { json: JSON.stringify(data), ...subjects };
}

/** Audits sending a patient's data as a read by the client. */
async function auditDelivery(
  event: ClaimedEvent,
  { access }: ReceivingClient,
  { patients, unnamed }: RenderedRecord,
): Promise<void> {
  const origin = { actor: access.actor, source: "api" as const, reason: null, requestId: null };
  const address = new URL(event.target).origin;
  const request = { operation: "webhooks.deliver", path: recordPath(event), address };
  await auditRead({ ...origin, ...request }, patients, unnamed);
}

function sign(event: ClaimedEvent, { publicClientId }: ReceivingClient, { json }: RenderedRecord): WebhookRequest {
  const keys = findSigningKeys(event);
  const body = `{"data":${json},${JSON.stringify(buildEnvelope(event, publicClientId)).slice(1)}`;
  const timestamp = Math.floor(clock.now().getTime() / 1000);
  const headers: WebhookHeaders = {
    ...signWebhook(keys, { id: event.event_uuid, timestamp, body }),
    "x-crosswalk-attempt": String(event.attempts),
  };
  return { url: event.target, headers, body };
}
