import type { ReactNode } from "react";
import type { EventListRow } from "@/lib/events/published/staff-queries";

/** The list of events. */
export const eventsPage = {
  title: "Events",
  table: "Published events",
  empty: "No events yet",
  emptyHelp: "When a record changes, each client subscribed to it is notified. Events need at least one subscription.",
  all: "Send all again",
  allMatching: "Send all matching again",
  selected: "Send selected again",
};

/** The tabs of the events pages. */
export const eventsNav = {
  label: "Published events",
  events: "Events",
  subscriptions: "Subscriptions",
};

/** Column headings of the list. */
export const eventColumn = {
  event: "Event",
  change: "Change",
  status: "Status",
  response: "Response",
  endpoint: "Endpoint",
  attempts: "Attempts",
  nextAttempt: "Next attempt",
  time: "Time",
};

/** A change of a record: `Patient 12 saved`. `record` is from `recordName`. */
export const eventChange = (record: ReactNode, type: EventListRow["event_type"]) => (
  <>
    {record} {EVENT_TYPES[type]}
  </>
);

/** Tooltip of an endpoint. */
export const endpointOf = (client: string, url: string) => `${client}: ${url}`;

const EVENT_TYPES = { saved: "saved", deleted: "deleted" };

const RECORDS: Record<string, string> = {
  patients: "Patient",
  practices: "Practice",
  physicians: "Physician",
  insurance_companies: "Payer",
  insurance_plans: "Plan",
};

/** Returns the record's name for staff, such as `Patient 12`. */
export function recordName({ resource, resource_id }: Pick<EventListRow, "resource" | "resource_id">): string {
  return `${RECORDS[resource] ?? resource} ${resource_id}`;
}

/** Statuses of an event. */
export const eventStatus = {
  rejected: "Rejected by client",
  undelivered: "Undelivered",
  processed: "Processed",
  delivered: "Delivered",
  canceled: "Canceled",
  sending: "Sending",
  /** Its subscription is paused. */
  paused: "Paused",
  retrying: "Retrying",
  waiting: "Waiting",
};

/** When the next attempt is made, if not at a scheduled time. */
export const nextAttempt = {
  onResume: "When resumed",
  sending: "In progress",
  due: "Due now",
  none: "None",
};

/** The page of an event. */
export const eventPage = {
  meta: { title: "Event" },
  title: (id: number) => `Event ${id}`,
  /** Below the title: what changed, and when. */
  subtitle: (change: ReactNode, time: ReactNode) => (
    <>
      {change}, {time}
    </>
  ),
  report: "Mark as processed",
  sendAgain: "Send again",
  outOfDate: "Couldn't refresh this event",
  paused: "Subscription paused",
  pausedHelp: "No events are sent until the subscription is resumed. To resume it, go to Subscriptions.",
  clientError: "Error reported by the client",
  attemptError: "Last error",
  attempts: "Attempts",
  payload: "Payload",
  reported: (id: number) => `Event ${id} marked as processed`,
};

/** The facts about an event. */
export const eventFacts = {
  status: "Status",
  record: "Record",
  client: "Client",
  endpoint: "Endpoint",
  processed: "Processed",
  /** The client or an admin reported the time. */
  processedReported: "Processed (reported)",
  notProcessed: "Not yet",
  statusCode: "Status code",
  noStatusCode: "None",
  nextAttempt: "Next attempt",
  retriesEnd: "Retries end",
  retriesEnded: "Retries ended",
  /** `webhook-id` is the name of an HTTP header. */
  webhookId: "Webhook ID (the same for every attempt)",
  copyWebhookId: "webhook ID",
};

/** The attempts to deliver an event. */
export const attempts = {
  label: "Attempts",
  none: "No attempts yet",
  number: "Attempt",
  time: "Time",
  outcome: "Result",
  duration: "Duration",
  error: "Error",
  milliseconds: (count: number) => `${count} ms`,
  noResponse: "No response",
  inProgress: "In progress",
  delivered: "Delivered",
};

/** The payload of an event, shown on request. */
export const payload = {
  help: "The payload of the next attempt. It can contain patient data. Viewing is logged.",
  show: "Show payload",
  failed: "Couldn't load the payload",
  none: "No payload",
  noneHelp: "The client no longer has access to this practice. If you send the event again, it will be canceled.",
  label: "Payload as JSON",
};

/** The filters of the list. */
export const eventFilters = {
  label: "Filter events",
  names: {
    resource: "Record",
    resource_id: "Record ID",
    event_type: "Change",
    status: "Status",
    subscription: "Subscription",
    target: "Endpoint contains",
    from: "From",
    to: "Before",
  },
  endpointPlaceholder: "Endpoint contains…",
  types: EVENT_TYPES,
  records: {
    patients: "patients",
    practices: "practices",
    physicians: "physicians",
    insurance_companies: "payers",
    insurance_plans: "plans",
  },
  statuses: {
    failed: "undelivered or rejected",
    undelivered: "undelivered",
    rejected: "rejected by client",
    waiting: "waiting to be sent",
    pending: "not processed",
    processed: "processed",
    canceled: "canceled",
  },
};
