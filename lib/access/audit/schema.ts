import { z } from "zod";
import { AuditKind } from "@/generated/rows/enums";
import { isInstant } from "@/lib/platform/http/query";
import { calendarDate } from "@/lib/platform/http/validation";

const empty = <T extends z.ZodType>(schema: T) => schema.or(z.literal("").transform(() => undefined)).optional();

/** Filters of the audit, as they stand in the URL. An empty one is none. */
export const auditFilter = {
  /** `client-12`, `staff-3`, `system` or `link` or `anonymous` */
  actor: empty(z.string().regex(/^((client|staff)-\d{1,15}|system|link|anonymous)$/, "Is no person or client.")),
  patient: empty(
    z
      .string()
      .regex(/^\d{1,15}$/, "Must be the number of a patient.")
      .transform(Number),
  ),
  kind: empty(z.enum(AuditKind)),
  /** Days in the practice's zone, both included. */
  since: empty(calendarDate),
  until: empty(calendarDate),
};

const place = z
  .string()
  .regex(/^[\d:.TZ-]+~\d{1,15}$/, "Is no place in the list.")
  .refine((key) => isInstant(key.replace(/~.*/, "")), "Is no place in the list.");

/** A page of it, from an entry on. */
export const auditQuery = {
  ...auditFilter,
  /** An entry's `key`: the entries older than it. */
  after: empty(place),
  /** The entries newer than it. */
  before: empty(place),
};

export type AuditFilter = z.output<z.ZodObject<typeof auditFilter>>;
export type AuditQuery = z.output<z.ZodObject<typeof auditQuery>>;
