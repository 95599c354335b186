import type { ReceivingClient } from "@/lib/access/clients/queries";
import type { Access } from "@/lib/access/identity/access";
import type { WebhookEvent } from "@/lib/events/published/schema";
import type { WebhookPayload } from "@/lib/events/webhooks/schema";
import { publicOrigin } from "@/lib/platform/config";
import { NotFoundError } from "@/lib/platform/errors";

/** A record as GET returns it, and the patients and practices whose data it shows. */
export interface ReadableRecord {
  data: object;
  patients: readonly number[];
  /** Practices of shown records that hold personal data without naming a patient. */
  unnamed?: readonly number[];
}

/**
 * Reads a record with a client's access. `lib/api` provides this function, because it knows all resources.
 *
 * @throws NotFoundError if the record does not exist or the client can't access it
 */
export type RecordReader = (access: Access, resource: string, id: number) => Promise<ReadableRecord>;

/**
 * Reads the `data` of a webhook: the record as its client can read it now, or only its ID if it no longer exists. Events
 * contain no data, so a retry sends the current state.
 */
async function readOrId(
  readRecord: RecordReader,
  access: Access,
  resource: string,
  id: number,
): Promise<ReadableRecord> {
  return readRecord(access, resource, id).catch((error: unknown) => {
    if (error instanceof NotFoundError) return { data: { id }, patients: [] };
    throw error;
  });
}

/** Builds the body of a webhook from the record's current state. Also returns its patients and the record's path. */
export async function buildPayload(
  event: WebhookEvent,
  { access, publicClientId }: ReceivingClient,
  readRecord: RecordReader,
): Promise<{ payload: WebhookPayload; patients: readonly number[]; unnamed: readonly number[]; path: string }> {
  const { event_type: action, event_id, event_uuid, resource, resource_id } = event;
  const path = `/api/2.0/${resource}/${resource_id}/`;
  const gone: ReadableRecord = { data: { id: resource_id }, patients: [] };
  const {
    data,
    patients,
    unnamed = [],
  } = action === "deleted" ? gone : await readOrId(readRecord, access, resource, resource_id);
  const application_id = publicClientId;
  const resource_url = `${publicOrigin()}${path}`;
  const payload = { data, action, event_id, event_uuid, application_id, resource, resource_url };
  return { payload, patients, unnamed, path };
}
