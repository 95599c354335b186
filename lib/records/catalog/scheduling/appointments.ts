import { z } from "zod";
import { ValidationError } from "@/lib/platform/errors";
import { minutes, reference, text, time, whole } from "@/lib/records/engine/field-types";
import {
  createdDate,
  type Data,
  defaulted,
  defineResource,
  deletedDate,
  modifiedDate,
  OPERATIONS,
  optional,
  optionalPatientColumn,
  practiceColumn,
  readOnly,
  refersTo,
  required,
  type Write,
  withResponse,
} from "@/lib/records/engine/schema";
import { payment, timeSlotType } from "@/lib/records/rules/nested-schemas";

const appointmentBillingDetails = z.object({
  billing_note: text().nullable().optional(),
  prior_authorization: text(50).nullable().optional(),
  referring_provider: text(100).nullable().optional(),
  referring_provider_state: text(2).nullable().optional(),
});

const appointmentStatusStatus = z.enum([
  "Billed",
  "Cancelled",
  "Checked In",
  "Checked Out",
  "Confirmed",
  "In Room",
  "In Room - Vitals Taken",
  "Not Seen",
  "Scheduled",
  "With Doctor",
]);

const appointmentStatus = z.object({
  room: text().nullable().optional(),
  status: appointmentStatusStatus,
  status_date: time.nullable().readonly().optional(),
  status_detail: text().nullable().optional(),
});
type Status = z.output<typeof appointmentStatus>;

const transportationDetails = z.object({ is_required: z.boolean().optional(), notes: text().nullable().optional() });

/** Minutes, where neither the appointment nor its type says: one of before there were bounds may say what no time lasts. */
const USUAL_DURATION = 15;

/** A patient's appointment, or another entry of a physician's calendar. */
export const appointments = defineResource({
  name: "appointments",
  title: "Appointment",
  noun: "appointment",
  owner: "patient",
  operations: OPERATIONS,
  fields: {
    appointment_type_id: refersTo(optional(reference), "appointment_types"),
    billing_details: optional(appointmentBillingDetails),
    created_date: createdDate,
    deleted_date: deletedDate,
    description: optional(text()),
    duration: withResponse(defaulted(minutes), whole()),
    instructions: optional(text()),
    is_blocking: readOnly(z.boolean(), false),
    last_modified_date: modifiedDate,
    metadata: optional(
      z.object({
        data: z.record(z.string(), z.unknown()).optional(),
        object_id: text().optional(),
        object_web_link: text().optional(),
      }),
    ),
    mode: defaulted(z.enum(["IN_PERSON", "VIDEO"]), "IN_PERSON"),
    // The contract has it sent with every appointment; null for an entry of the calendar that is nobody's.
    patient: { ...optionalPatientColumn, required: true },
    payment: optional(payment),
    physician: refersTo(required(reference), "physicians"),
    practice: practiceColumn,
    reason: optional(text(50)),
    recurring_event_schedule: optional(reference),
    scheduled_date: required(time),
    // Sent as its id, or as the location itself.
    service_location: withResponse(
      refersTo(optional(z.union([reference, z.object({ id: reference })])), "service_locations"),
      reference.nullable(),
    ),
    status: optional(appointmentStatus),
    telehealth_details: optional(text()),
    time_slot_status: optional(z.enum(["not_avail_for_self_schedule"])),
    time_slot_type: defaulted(timeSlotType, "appointment"),
    transportation_details: optional(transportationDetails),
  },
  filters: [
    ["from_date", "scheduled_date__gte"],
    "patient",
    "physician",
    "practice",
    "time_slot_type",
    ["to_date", "scheduled_date__lte"],
  ],
  sortFields: ["scheduled_date"],
  keys: {
    recurring_event_schedule: { schema: reference, value: (data) => data.recurring_event_schedule },
    room: { schema: text(), value: ({ status }) => (status as Status | null)?.room },
  },
  beforeWrite: settle,
});

/** @throws ValidationError where the recurring event it belongs to is none of the practice's */
async function settle({ data, before, now, read, hold }: Write): Promise<Data> {
  const series = data.recurring_event_schedule as number | null;
  if (series !== null && series !== before?.recurring_event_schedule) {
    const groups = await hold.recordsWhere("recurring_event_groups", "schedule", [series]);
    if (groups.length === 0) throw new ValidationError({ recurring_event_schedule: ["No such schedule."] });
  }
  const status = data.status as Status | null;
  const was = before?.status as Status | null | undefined;
  // Since when it stands: a client's word on it is not taken.
  const status_date = status?.status === was?.status ? was?.status_date : now;
  return {
    ...data,
    service_location: locationOf(data),
    duration: data.duration ?? (await usualDuration(data, read)),
    is_blocking: data.time_slot_type === "event",
    status: status && { ...status, ...(status_date && { status_date }) },
  };
}

/** The id of the place, however it was sent. */
function locationOf({ service_location }: Data): number | null {
  const sent = service_location as number | { id: number } | null;
  return typeof sent === "object" ? (sent?.id ?? null) : sent;
}

async function usualDuration({ appointment_type_id }: Data, read: Write["read"]): Promise<number> {
  const id = appointment_type_id as number | null;
  const type = id === null ? undefined : (await read.recordsById("appointment_types", [id])).get(id);
  const { success, data } = minutes.safeParse(type?.data.default_duration);
  return success ? data : USUAL_DURATION;
}
