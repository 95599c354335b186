import { z } from "zod";
import { DeprecationMode } from "@/generated/rows/enums";
import type { Row } from "@/lib/platform/db/rows";
import { timeParam } from "@/lib/platform/http/query";
import { calendarDate } from "@/lib/platform/http/validation";
import { metadata } from "@/lib/platform/metadata";

const text = (max: number) => z.string().max(max);

/** Fields of a practice that clients write. */
export const practiceShape = {
  name: text(200),
  address_line1: text(200),
  address_line2: text(200),
  city: text(50),
  state: text(2),
  zip: text(10),
  metadata,
} as const;

const optional = z.object(practiceShape).partial();

/** Body of PUT. Omitted fields are left unchanged. */
export const practiceInput = optional
  .extend({
    name: practiceShape.name,
    address_line1: practiceShape.address_line1,
    address_line2: practiceShape.address_line2,
  })
  .meta({ title: "PracticeInput" });

/** Body of PATCH: like PUT, but no field is required. */
export const practicePatch = optional.meta({ title: "PracticePatch" });
export type PracticePatch = z.output<typeof practicePatch>;

/** Columns of a practice that commands lock and write. */
export const PRACTICE_COLUMNS = [
  "id",
  "name",
  "address_line1",
  "address_line2",
  "city",
  "state",
  "zip",
  "metadata",
  "insurance_versioning_enabled",
  "deprecation_date",
  "deprecation_mode",
  "rehearsal_time",
  "rejects_duplicate_patients",
  "version",
] as const satisfies readonly (keyof Row<"practice">)[];

/** The columns of a practice that its commands use. `deprecation_date` is `YYYY-MM-DD`, `rehearsal_time` ISO 8601. */
export type PracticeRecord = Row<"practice", (typeof PRACTICE_COLUMNS)[number]>;

/** The Insurance Versioning switch. */
export const versioningInput = z.object({ enabled: z.boolean() });

/** The setting for duplicate patients. */
export const duplicatePatientsInput = z.object({ rejected: z.boolean() });

/** Settings of the deprecation clock. A null rehearsal time ends the rehearsal. */
export const deprecationClockInput = z
  .object({
    date: calendarDate,
    mode: z.enum(DeprecationMode),
    rehearsalTime: timeParam({ zone: "required" }).nullable(),
  })
  .partial();
export type DeprecationClockInput = z.output<typeof deprecationClockInput>;

/** Query of `eligibility_usage`. Both days are included. */
export const usageQuery = {
  start_date: calendarDate.optional().describe("First day of the report. Defaults to the first of the month."),
  end_date: calendarDate.optional().describe("Last day of the report. Defaults to today."),
};
