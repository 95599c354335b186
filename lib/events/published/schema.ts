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

/** Body of PUT `published_events/{event_id}` (specification, Published event). Read-only fields are ignored. */
export const eventReport = z.object(writableShape).meta({ title: "PublishedEventReport" });
/** Body of PATCH: any of the three. */
export const eventPatch = eventReport.partial().meta({ title: "PublishedEventPatch" });
export type EventReport = z.output<typeof eventPatch>;

/** A published event on the wire: the nine fields of the specification. */
export const eventAnswer = z
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
export type EventAnswer = z.output<typeof eventAnswer>;

/** Query of the list of published events (design §8). */
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

/** Status of an event on staff pages; `failed` means undelivered or rejected. */
export const STAFF_EVENT_STATUSES = [
  ...(["failed", "undelivered", "rejected", "waiting", "pending", "processed", "canceled"] as const),
] as const;

/** Filters of the staff's list of events; times limit when the change was made. */
export const staffEventFilter = {
  resource: z.enum(SCOPE_RESOURCES).optional(),
  resource_id: integerParam.optional(),
  event_type: z.enum(EventType).optional(),
  status: z.enum(STAFF_EVENT_STATUSES).optional(),
  subscription: integerParam.optional(),
  /** A part of it. */
  target: z.string().max(2000).optional(),
  from: timeParam({ zone: "required" }).optional(),
  to: timeParam({ zone: "required" }).optional(),
};
export type StaffEventFilter = z.output<z.ZodObject<typeof staffEventFilter>>;

/** Query of the staff's list of events; newest first by default. */
export const staffEventQuery = {
  ...staffEventFilter,
  order: z
    .string()
    .refine((order) => STAFF_ORDERS.includes(order), { error: `Must be one of ${STAFF_ORDERS.join(", ")}.` })
    .default("-id"),
  offset: integerParam.pipe(z.number().min(0).max(10_000_000)).default(0),
  limit: integerParam.pipe(z.number().min(1).max(100)).default(50),
};

const shownIds = z
  .string()
  .regex(/^(\d{1,15}(,\d{1,15}){0,99})?$/, "Must be at most 100 IDs, separated by commas.")
  .transform((text) => (text === "" ? [] : text.split(",").map(Number)));

/** Query that refreshes an open list: its rows, and how many events came after the newest. */
export const staffRefreshQuery = { after: integerParam.default(0), ids: shownIds.default([]) };

/** What the body of a webhook says about its event. */
export type WebhookEvent = Row<
  "published_event",
  "event_type" | "event_id" | "event_uuid" | "resource" | "resource_id"
>;

/** Body of the staff's retry; the response has an outcome for each event. */
export const retryInput = z.strictObject({ event_ids: z.array(z.int().positive()).min(1).max(100) });

/** The stored fields of a published event that its client sees. */
export interface EventRow extends EventAnswer, Row<"published_event", "practice_id" | "version" | "reported_date"> {}

/** A published event as its client sees it: exactly the nine fields of the specification. */
export function toEventDto(row: EventRow): EventAnswer {
  const { id, event_id, event_type, resource, resource_id, target, processed_date, error_content, status_code } = row;
  return { id, event_id, event_type, resource, resource_id, target, processed_date, error_content, status_code };
}
