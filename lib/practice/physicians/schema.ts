import { z } from "zod";
import type { Row } from "@/lib/platform/db/rows";
import { email, reference } from "@/lib/platform/http/validation";
import { metadata } from "@/lib/platform/metadata";

const text = (max: number) => z.string().max(max);

const required = {
  first_name: text(50),
  last_name: text(60),
  email,
  npi: text(200),
  license: text(200),
  license_state: text(200),
} as const;
const optional = { credentials: text(20).nullable(), metadata } as const;

/** Body of PUT. Omitted fields are left unchanged; `practice`, `fax`, `specialty`, `is_active` and `user_id` are read-only. */
export const physicianInput = z
  .object({ ...required, ...z.object(optional).partial().shape })
  .meta({ title: "PhysicianInput" });

/** Body of PATCH: like PUT, but no field is required. */
export const physicianPatch = physicianInput.partial().meta({ title: "PhysicianPatch" });
export type PhysicianPatch = z.output<typeof physicianPatch>;

/** A new physician. The text of required fields isn't empty. */
export const newPhysician = z.object({
  first_name: required.first_name.min(1),
  last_name: required.last_name.min(1),
  email,
  npi: required.npi.min(1),
  license: required.license.min(1),
  license_state: required.license_state.min(1),
  credentials: text(20).optional(),
});

/** The columns of the physician table, in the order that all statements use. */
export const PHYSICIAN_COLUMNS = [
  "id",
  "practice_id",
  "first_name",
  "last_name",
  "credentials",
  "email",
  "fax",
  "npi",
  "license",
  "license_state",
  "specialty",
  "is_active",
  "user_id",
  "metadata",
  "version",
] as const satisfies readonly (keyof Row<"physician">)[];

/** A physician as stored. */
export type PhysicianRow = Row<"physician", (typeof PHYSICIAN_COLUMNS)[number]>;

/** A physician in responses: the contract's `Physician`. */
export const physicianResponse = z
  .object({
    id: z.int(),
    practice: z.int(),
    ...required,
    ...optional,
    fax: z.string(),
    specialty: z.string(),
    is_active: z.boolean(),
    user_id: z.int().nullable(),
  })
  .meta({ title: "Physician" });

/** A local time of day, `HH:MM` or `HH:MM:SS`, normalized to the latter. */
const timeOfDay = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$/, { error: "Must be a time of day, HH:MM or HH:MM:SS.", abort: true })
  .transform((time) => (time.length === 5 ? `${time}:00` : time));

const block = z
  .object({
    weekday: z.int().min(0).max(6),
    start_time: timeOfDay,
    end_time: timeOfDay,
    service_location_id: reference.nullable().default(null),
    appointment_types: z.array(reference).max(200).default([]),
  })
  .refine(({ start_time, end_time }) => start_time < end_time, {
    path: ["end_time"],
    error: "Must be after start_time.",
  });

/** Body of PUT `availabilities`: the physician's whole week. */
export const availabilitiesInput = z
  .object({ availabilities: z.array(block).max(500) })
  .meta({ title: "AvailabilitiesInput" });
export type AvailabilityInput = z.output<typeof block>;

/** A stored block of availability. Times are `HH:MM:SS`, local to the practice. */
export type AvailabilityRow = Row<"provider_availability">;

/** A block in responses: the contract's `ProviderAvailabilityBlock`. */
export const availabilityResponse = z
  .object({
    id: z.int(),
    provider_id: z.int(),
    weekday: z.int(),
    start_time: z.string(),
    end_time: z.string(),
    service_location_id: z.int().nullable(),
    timezone: z.string(),
    use_service_location_timezone: z.boolean(),
  })
  .meta({ title: "ProviderAvailabilityBlock" });

/** Maps a physician to the contract's form. */
export function toPhysicianDto(row: PhysicianRow) {
  return {
    id: row.id,
    practice: row.practice_id,
    first_name: row.first_name,
    last_name: row.last_name,
    credentials: row.credentials,
    email: row.email,
    fax: row.fax,
    npi: row.npi,
    license: row.license,
    license_state: row.license_state,
    specialty: row.specialty,
    is_active: row.is_active,
    user_id: row.user_id,
    metadata: row.metadata,
  };
}

/** Maps a block of availability to the contract's form. Times are local to the practice's `timezone`. */
export function toAvailabilityDto(row: AvailabilityRow, timezone: string) {
  return {
    id: row.id,
    provider_id: row.physician_id,
    weekday: row.weekday,
    start_time: row.start_time,
    end_time: row.end_time,
    service_location_id: row.service_location_id,
    timezone,
    use_service_location_timezone: false,
  };
}
