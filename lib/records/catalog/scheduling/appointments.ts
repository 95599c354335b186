import { z } from "zod";
import { absentRecords, ValidationError } from "@/lib/platform/errors";
import { keysOf, pick } from "@/lib/platform/objects";
import { serviceLocations } from "@/lib/records/catalog/practice/service-locations";
import type { Data } from "@/lib/records/engine/data-types";
import {
  createdDate,
  defaulted,
  deletedDate,
  integer,
  minutes,
  modifiedDate,
  optional,
  optionalPatientColumn,
  practiceColumn,
  readOnly,
  reference,
  refersTo,
  required,
  text,
  time,
  withResponse,
} from "@/lib/records/engine/fields";
import { toRecordDto } from "@/lib/records/engine/queries";
import { defineResource, OPERATIONS, type Reader, type RecordRow } from "@/lib/records/engine/schema";
import { placeOfService } from "@/lib/records/rules/charges";
import { payment, timeSlotType } from "@/lib/records/rules/nested-schemas";
import { appointmentTypes } from "./appointment-types";

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

const placeOfServiceCodes = placeOfService.options.map(Number);

/** The current service location, or only its ID if it was deleted. */
const shownLocation = z
  .object({
    address_line1: text().nullable(),
    address_line2: text().nullable(),
    city: text().nullable(),
    created_date: time.nullable(),
    deleted_date: time.nullable(),
    is_primary: z.boolean(),
    name: text(),
    phone: text().nullable(),
    place_of_service: z.literal(placeOfServiceCodes).nullable(),
    state: text().nullable(),
    zip: text().nullable(),
  })
  .partial()
  .extend({ id: reference });

/** Minutes, if neither the appointment nor its type has a valid duration. Old types can have durations out of bounds. */
const DEFAULT_DURATION = 15;

/** A patient's appointment, or another entry in a physician's calendar. */
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
    duration: withResponse(defaulted(minutes), integer()),
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
    // The contract requires it. It is null for calendar entries without a patient.
    patient: { ...optionalPatientColumn, required: true },
    payment: optional(payment),
    physician: refersTo(required(reference), "physicians"),
    practice: practiceColumn,
    reason: optional(text(50)),
    recurring_event_schedule: optional(reference),
    scheduled_date: required(time),
    // Clients send its ID, or the location as an object.
    service_location: withResponse(
      refersTo(optional(z.union([reference, z.object({ id: reference })])), "service_locations"),
      shownLocation.nullable(),
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
    room: { schema: text(), value: ({ status }) => status?.room },
  },
  stored: { service_location: reference.nullable() },
  beforeWrite: async ({ data, before, now, reader, lockingReader }) => {
    const series = data.recurring_event_schedule;
    if (series !== null && series !== before?.recurring_event_schedule) {
      const groups = await lockingReader.recordsWhere({ name: "recurring_event_groups" }, "schedule", [series]);
      if (groups.length === 0) throw new ValidationError({ recurring_event_schedule: absentRecords(series) });
    }
    return {
      ...data,
      service_location: locationId(data.service_location),
      duration: data.duration ?? (await defaultDuration(data.appointment_type_id, reader)),
      is_blocking: data.time_slot_type === "event",
      status: data.status && withStatusDate(data.status, { before: before?.status, now }),
    };
  },
  serialize: async (records, { reader }) => {
    const ids = records.flatMap(({ data }) => data.service_location ?? []);
    const locations = await reader.recordsById(serviceLocations, ids);
    return records.map(({ data: { service_location: id } }) => {
      const location = id === null ? undefined : locations.get(id);
      return { service_location: location ? toShownLocation(location) : id && { id } };
    });
  },
});

function toShownLocation(location: RecordRow): Data {
  const dto = toRecordDto(serviceLocations, "get", location);
  const code = placeOfServiceCodes.find((one) => one === dto.place_of_service_code) ?? null;
  return { ...pick(dto, keysOf(shownLocation.shape)), place_of_service: code };
}

function locationId(location: number | { id: number } | null): number | null {
  return typeof location === "number" ? location : (location?.id ?? null);
}

/** Dates a status by when it was set. Dates that clients send are ignored. */
function withStatusDate(status: Status, { before, now }: { before: Status | null | undefined; now: string }): Status {
  const status_date = status.status === before?.status ? before.status_date : now;
  return status_date ? { ...status, status_date } : status;
}

async function defaultDuration(typeId: number | null, reader: Reader): Promise<number> {
  const type = typeId === null ? undefined : (await reader.recordsById(appointmentTypes, [typeId])).get(typeId);
  const { success, data } = minutes.safeParse(type?.data.default_duration);
  return success ? data : DEFAULT_DURATION;
}
