import { z } from "zod";
import { list, reference, text, time, whole } from "@/lib/records/engine/field-types";
import {
  createdDate,
  type Data,
  defaulted,
  defineResource,
  deletedDate,
  optional,
  patientColumn,
  practiceColumn,
  readOnly,
  refersTo,
} from "@/lib/records/engine/schema";
import { withDocumentDates } from "@/lib/records/rules/document-dates";

const vitalBP = z.object({
  diastolic: text().nullable().optional(),
  note: text().nullable().optional(),
  systolic: text().nullable().optional(),
});

const vitalHC = z.object({
  note: text().nullable().optional(),
  percentile: whole().nullable().readonly().optional(),
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
  // The contract has it set by the server; a reading in degrees Celsius must not be taken for one in Fahrenheit.
  units: z.enum(["celsius", "fahrenheit"]).optional(),
  value: text().nullable().optional(),
});

const vitalWeight = z.object({
  note: text().nullable().optional(),
  units: z.enum(["lbs"]).readonly().optional(),
  value: text().nullable().optional(),
});

/** The unit each measurement is in. */
const UNITS = {
  hc: "cm",
  height: "inches",
  hr: "bpm",
  oxygen: "%",
  rr: "bpm",
  temperature: "fahrenheit",
  weight: "lbs",
};

/** Measurements with the units they are in: of temperatures alone clients send it, where it is not the usual one. */
function unitsOf(data: Data): Data {
  const measured = Object.entries(UNITS).filter(([name]) => data[name] !== undefined);
  return Object.fromEntries(
    measured.map(([name, units]) => [name, (data[name] as object[]).map((value) => ({ units, ...value }))]),
  );
}

/** Vital signs that were taken of a patient. */
export const vitals = defineResource({
  name: "vitals",
  title: "VitalsCollection",
  noun: "vitals collection",
  owner: "patient",
  operations: ["list", "create", "get", "replace", "update"],
  fields: {
    bmi: optional(z.number()),
    bmi_percentile: readOnly(whole().nullable(), null),
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
  beforeWrite: (write) => ({ ...withDocumentDates(write), ...unitsOf(write.data) }),
});
