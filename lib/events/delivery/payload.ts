import type { ReceivingClient } from "@/lib/access/clients/queries";
import type { Access } from "@/lib/access/identity/access";
import type { WebhookEvent } from "@/lib/events/published/schema";
import type { WebhookPayload } from "@/lib/events/webhooks/schema";
import { publicOrigin } from "@/lib/platform/config";
import { NotFoundError } from "@/lib/platform/errors";

/** A record as GET returns it, and whose data it shows. */
export interface ReadableRecord {
  data: object;
  /** The patients whose data the record shows. */
  patients: readonly number[];
  /** Practices whose records it shows that hold personal data without naming a patient. */
  unnamed?: readonly number[];
}

/**
 * Reads a record as a client may read it. `lib/api` provides it, since it knows every resource.
 *
 * @throws NotFoundError if the record is gone or the client has no right to it
 */
export type RecordReader = (access: Access, resource: string, id: number) => Promise<ReadableRecord>;

/**
 * The `data` of a webhook (design §8): the record as its client would read it now, or its id alone once it is gone. Nothing
 * of a record is kept with the event, so a retry sends what is true by then.
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

/** Builds the body of a webhook as it would be sent now (design §8), with the patients it shows and the record's path. */
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
