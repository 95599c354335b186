import type { EventAnswer, EventRow, SubscriptionRow } from "./schema";

/** A published event as its client sees it: exactly the nine fields of the specification. */
export function toEventDto(row: EventRow): EventAnswer {
  const { id, event_id, event_type, resource, resource_id, target, processed_date, error_content, status_code } = row;
  return { id, event_id, event_type, resource, resource_id, target, processed_date, error_content, status_code };
}

/** A subscription as its client sees it. */
export function toSubscriptionDto(row: SubscriptionRow): SubscriptionRow {
  const { id, resource, target, properties, signing_pub_key, created_date, deleted_date } = row;
  return { id, resource, target, properties, signing_pub_key, created_date, deleted_date };
}
