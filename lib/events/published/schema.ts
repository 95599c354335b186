import { z } from "zod";
import { EventType } from "@/generated/rows/enums";
import { SCOPE_RESOURCES } from "@/lib/access/identity/scopes";
import type { Row } from "@/lib/platform/db/rows";
import { integerParam } from "@/lib/platform/http/pagination";
import { timeParam, timeRange } from "@/lib/platform/http/query";

const INT32 = { min: -2_147_483_648, max: 2_147_483_647 };
const MAX_ERROR_CHARACTERS = 100_000;
const writableShape = {
  processed_date: timeParam({ zone: "optional" }),
  error_content: z.string().max(MAX_ERROR_CHARACTERS).nullable().optional(),
  status_code: z.int().min(INT32.min).max(INT32.max).nullable().optional(),
};

/** The body of PUT `published_events/{event_id}` (specification, Published event). Read-only fields are ignored. */
export const eventReport = z.object(writableShape).meta({ title: "PublishedEventReport" });
/** The body of PATCH, which requires none of the fields. */
export const eventPatch = eventReport.partial().meta({ title: "PublishedEventPatch" });
export type EventReport = z.output<typeof eventPatch>;

/** A published event in responses: the nine fields of the specification. */
export const eventResponse = z
  .strictObject({
    id: z.int(),
    event_id: z.int(),
    event_type: z.enum(EventType),
    resource: z.string(),
    resource_id: z.int(),
    target: z.string(),
    processed_date: z.iso.datetime().nullable(),
    error_content: z.string().nullable(),
    status_code: z.int().min(INT32.min).max(INT32.max).nullable(),
  })
  .meta({ title: "PublishedEvent" });
export type EventResponse = z.output<typeof eventResponse>;

/** The body of POST `subscriptions/{id}/replay`: a range of times at which events were published. */
export const replayInput = z
  .object({
    from: timeParam({ zone: "required" }).describe("Replays events that were published at this time or later."),
    to: timeParam({ zone: "required" }).describe("Replays events before this time. At most 7 days after `from`."),
  })
  .meta({ title: "ReplayInput" });
export type ReplayInput = z.output<typeof replayInput>;

export const replayResult = z
  .strictObject({ events: z.int().describe("The number of events that are sent again.") })
  .meta({ title: "ReplayResult" });
export type ReplayResult = z.output<typeof replayResult>;

/** The filters of the list of published events. */
export const eventFilter = {
  resource: z.enum(SCOPE_RESOURCES).optional(),
  resource_id: integerParam.optional(),
  event_type: z.enum(EventType).optional(),
  status: z
    .enum(["pending", "processed", "failed"])
    .optional()
    .describe(
      "Only events that are not processed yet (`pending`), that were delivered or reported without an error (`processed`), or that could not be delivered or were reported with an error (`failed`).",
    ),
  ...timeRange("created_date"),
  ...timeRange("processed_date"),
};

const STAFF_ORDERS = ["-id", "id"];

/** The statuses of an event on staff pages. `failed` means undelivered or rejected. */
export const STAFF_EVENT_STATUSES = [
  "failed",
  "undelivered",
  "rejected",
  "waiting",
  "pending",
  "processed",
  "canceled",
] as const;

/** The filters of the event list on staff pages. `from` and `to` limit the time of the change. */
export const staffEventFilter = {
  resource: z.enum(SCOPE_RESOURCES).optional(),
  resource_id: integerParam.optional(),
  event_type: z.enum(EventType).optional(),
  status: z.enum(STAFF_EVENT_STATUSES).optional(),
  subscription: integerParam.optional(),
  /** Part of the target URL. */
  target: z.string().max(2000).optional(),
  from: timeParam({ zone: "required" }).optional(),
  to: timeParam({ zone: "required" }).optional(),
};
export type StaffEventFilter = z.output<z.ZodObject<typeof staffEventFilter>>;

/** The query of the event list on staff pages. The default order is newest first. */
export const staffEventQuery = {
  ...staffEventFilter,
  order: z
    .string()
    .refine((order) => STAFF_ORDERS.includes(order), { error: `Must be one of ${STAFF_ORDERS.join(", ")}.` })
    .default("-id"),
  offset: integerParam.pipe(z.number().min(0).max(10_000_000)).default(0),
  limit: integerParam.pipe(z.number().min(1).max(100)).default(50),
};

const listedIds = z
  .string()
  .regex(/^(\d{1,15}(,\d{1,15}){0,99})?$/, "Must be at most 100 IDs, separated by commas.")
  .transform((text) => (text === "" ? [] : text.split(",").map(Number)));

/** The query that refreshes an open list: the IDs of its rows, and the ID of the newest event, to count newer ones. */
export const staffRefreshQuery = { after: integerParam.default(0), ids: listedIds.default([]) };

/** The columns of an event that its webhook includes. */
export type WebhookEvent = Row<
  "published_event",
  "event_type" | "event_id" | "event_uuid" | "resource" | "resource_id"
>;

/** The body of a retry by staff. The response has an outcome for each event. */
export const retryInput = z.strictObject({ event_ids: z.array(z.int().positive()).min(1).max(100) });

/** The columns of a published event that clients see, and those that reporting needs. */
export const EVENT_COLUMNS = [
  "id",
  "event_id",
  "event_type",
  "resource",
  "resource_id",
  "target",
  "processed_date",
  "error_content",
  "status_code",
  "practice_id",
  "version",
  "reported_date",
] as const satisfies readonly (keyof Row<"published_event">)[];
export type EventRow = Row<"published_event", (typeof EVENT_COLUMNS)[number]>;

/** Returns a published event as clients see it, with exactly the nine fields of the specification. */
export function toEventDto(row: EventRow): EventResponse {
  const { id, event_id, event_type, resource, resource_id, target, processed_date, error_content, status_code } = row;
  return { id, event_id, event_type, resource, resource_id, target, processed_date, error_content, status_code };
}
