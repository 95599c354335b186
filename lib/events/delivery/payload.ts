import type { ReceivingClient } from "@/lib/access/clients/queries";
import type { Access } from "@/lib/access/identity/access";
import type { WebhookEvent } from "@/lib/events/published/schema";
import type { WebhookPayload } from "@/lib/events/webhooks/schema";
import { publicOrigin } from "@/lib/platform/config";

/** A record as GET returns it, and the patients and practices whose data it shows. */
export interface ReadableRecord {
  data: object;
  patients: readonly number[];
  /** Practices of shown records that hold personal data without naming a patient. */
  unnamed?: readonly number[];
}

/**
 * Reads records of a resource with a client's access, by ID. Records that do not exist or that the client can't access are missing.
 * `lib/api` provides this function, because it knows all resources.
 */
export type RecordsReader = (
  access: Access,
  resource: string,
  ids: readonly number[],
) => Promise<ReadonlyMap<number, ReadableRecord>>;

/** Returns the path of an event's record. */
export function recordPath({ resource, resource_id }: Pick<WebhookEvent, "resource" | "resource_id">): string {
  return `/api/2.0/${resource}/${resource_id}/`;
}

/** Returns what a webhook says about a record that no longer exists, or that the client can no longer read. */
export function goneRecord({ resource_id }: Pick<WebhookEvent, "resource_id">): ReadableRecord {
  return { data: { id: resource_id }, patients: [] };
}

/** Builds the fields of a webhook's body that follow `data`. */
export function buildEnvelope(event: WebhookEvent, publicClientId: string): Omit<WebhookPayload, "data"> {
  const { event_type: action, event_id, event_uuid, resource } = event;
  const resource_url = `${publicOrigin()}${recordPath(event)}`;
  return { action, event_id, event_uuid, application_id: publicClientId, resource, resource_url };
}

/**
 * Builds the body of a webhook from the record's current state: the record as its client can read it now, or only its ID if it no
 * longer exists. Events contain no data, so a retry sends the current state. Also returns the record's patients.
 */
export async function buildPayload(
  event: WebhookEvent,
  { access, publicClientId }: ReceivingClient,
  readRecords: RecordsReader,
): Promise<{ payload: WebhookPayload; patients: readonly number[]; unnamed: readonly number[] }> {
  const { event_type, resource, resource_id: id } = event;
  const found = event_type === "deleted" ? null : (await readRecords(access, resource, [id])).get(id);
  const { data, patients, unnamed = [] } = found ?? goneRecord(event);
  return { payload: { data, ...buildEnvelope(event, publicClientId) }, patients, unnamed };
}
