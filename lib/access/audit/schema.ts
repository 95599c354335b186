import { z } from "zod";
import { AuditKind } from "@/generated/rows/enums";
import { isInstant } from "@/lib/platform/http/query";
import { calendarDate } from "@/lib/platform/http/validation";

const optional = <T extends z.ZodType>(schema: T) => schema.or(z.literal("").transform(() => undefined)).optional();

/** Filters of the audit, as in the URL. Empty parameters are ignored. */
export const auditFilter = {
  /** `client-12`, `staff-3`, `system`, `link` or `anonymous` */
  actor: optional(z.string().regex(/^((client|staff)-\d{1,15}|system|link|anonymous)$/, "Must be a user or client.")),
  patient: optional(
    z
      .string()
      .regex(/^\d{1,15}$/, "Must be a patient number.")
      .transform(Number),
  ),
  kind: optional(z.enum(AuditKind)),
  /** First and last day, in the practice's time zone. */
  since: optional(calendarDate),
  until: optional(calendarDate),
};

const position = z
  .string()
  .regex(/^[\d:.TZ-]+~\d{1,15}$/, "Invalid position in the list.")
  .refine((key) => isInstant(key.replace(/~.*/, "")), "Invalid position in the list.");

/** Filters and position of a page. */
export const auditQuery = {
  ...auditFilter,
  /** The `key` of an entry. The page starts with the next older one. */
  after: optional(position),
  /** The `key` of an entry. The page ends with the next newer one. */
  before: optional(position),
};

export type AuditFilter = z.output<z.ZodObject<typeof auditFilter>>;
export type AuditQuery = z.output<z.ZodObject<typeof auditQuery>>;
