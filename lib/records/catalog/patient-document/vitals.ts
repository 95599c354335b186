import { z } from "zod";
import {
  createdDate,
  defaulted,
  deletedDate,
  integer,
  list,
  optional,
  patientColumn,
  practiceColumn,
  readOnly,
  reference,
  refersTo,
  text,
  time,
} from "@/lib/records/engine/fields";
import { defineResource } from "@/lib/records/engine/schema";
import { withDocumentDates } from "@/lib/records/rules/documents";

const vitalBP = z.object({
  diastolic: text().nullable().optional(),
  note: text().nullable().optional(),
  systolic: text().nullable().optional(),
});

const vitalHC = z.object({
  note: text().nullable().optional(),
  percentile: integer().nullable().readonly().optional(),
  units: z.enum(["cm"]).readonly().optional(),
  value: text().nullable().optional(),
});

const vitalHeight = z.object({
  note: text().nullable().optional(),
  units: z.enum(["inches"]).readonly().optional(),
  value: text().nullable().optional(),
});

const vitalHR = z.object({
  note: text().nullable().optional(),
  units: z.enum(["bpm"]).readonly().optional(),
  value: text().nullable().optional(),
});

const vitalOxygen = z.object({
  note: text().nullable().optional(),
  units: z.enum(["%"]).readonly().optional(),
  value: text().nullable().optional(),
});

const vitalPain = z.object({ note: text().nullable().optional(), value: text().nullable().optional() });

const vitalRR = z.object({
  note: text().nullable().optional(),
  units: z.enum(["bpm"]).readonly().optional(),
  value: text().nullable().optional(),
});

const vitalTemperature = z.object({
  note: text().nullable().optional(),
  // The contract has it read-only, but 37 °C must not be read as 37 °F.
  units: z.enum(["celsius", "fahrenheit"]).optional(),
  value: text().nullable().optional(),
});

const vitalWeight = z.object({
  note: text().nullable().optional(),
  units: z.enum(["lbs"]).readonly().optional(),
  value: text().nullable().optional(),
});

/** The unit of each measurement. */
const UNITS = {
  hc: "cm",
  height: "inches",
  hr: "bpm",
  oxygen: "%",
  rr: "bpm",
  temperature: "fahrenheit",
  weight: "lbs",
} as const;

/** Adds units to measurements. Only temperatures can be sent in another unit. */
const withUnits = <U extends string, M extends object>(units: U, measurements: readonly M[]) =>
  measurements.map((measurement) => ({ units, ...measurement }));

/** Vital signs of a patient. */
export const vitals = defineResource({
  name: "vitals",
  title: "VitalsCollection",
  noun: "vitals collection",
  owner: "patient",
  operations: ["list", "create", "get", "replace", "update"],
  fields: {
    bmi: optional(z.number()),
    bmi_percentile: readOnly(integer().nullable(), null),
    bp: defaulted(list(vitalBP), []),
    chart_date: defaulted(time),
    created_date: createdDate,
    custom_observations: defaulted(
      z.record(
        z.string(),
        z.object({
          label: text().optional(),
          note: text().nullable().optional(),
          units: text().nullable().optional(),
          value: text().optional(),
        }),
      ),
    ),
    deleted_date: deletedDate,
    document_date: defaulted(time),
    hc: defaulted(list(vitalHC), []),
    height: defaulted(list(vitalHeight), []),
    hr: defaulted(list(vitalHR), []),
    length_for_weight_percentile: readOnly(z.number().nullable(), null),
    non_visit_note: refersTo(optional(reference), "non_visit_notes"),
    oxygen: defaulted(list(vitalOxygen), []),
    pain: defaulted(list(vitalPain), []),
    patient: patientColumn,
    practice: practiceColumn,
    rr: defaulted(list(vitalRR), []),
    signed_by: readOnly(reference),
    signed_date: readOnly(time.nullable(), null),
    temperature: defaulted(list(vitalTemperature), []),
    visit_note: refersTo(optional(reference), "visit_notes"),
    weight: defaulted(list(vitalWeight), []),
  },
  filters: ["non_visit_note", "patient", "practice", "visit_note"],
  beforeWrite: (write) => {
    const data = withDocumentDates(write);
    return {
      ...data,
      hc: withUnits(UNITS.hc, data.hc),
      height: withUnits(UNITS.height, data.height),
      hr: withUnits(UNITS.hr, data.hr),
      oxygen: withUnits(UNITS.oxygen, data.oxygen),
      rr: withUnits(UNITS.rr, data.rr),
      temperature: withUnits(UNITS.temperature, data.temperature),
      weight: withUnits(UNITS.weight, data.weight),
    };
  },
});
