import { dateFormat } from "@/lib/platform/date-format";
import type {
  Bullet,
  ChartRecords,
  Drug,
  Entry,
  Immunization,
  LabResult,
  Medication,
  VisitNote,
  Vitals,
} from "./schema";

// Texts for the values of a chart, for every kind of document.

/** Returns the bullets of a note in order, without those that are deleted, replaced or empty. */
export function currentBullets({ bullets = [] }: VisitNote): Bullet[] {
  return bullets
    .filter(({ deleted_date, replaced_by, text }) => !deleted_date && !replaced_by && text?.trim())
    .sort((a, b) => (a.sequence ?? 0) - (b.sequence ?? 0));
}

/** Returns a drug's name, with its strength and form unless the name contains them. */
export function formatDrugName({ name, brand_name, generic_name, strength, form }: Drug): string {
  const called = name || brand_name || generic_name || "Medication without a name";
  const more = [strength, form].filter((word) => word && !called.toLowerCase().includes(word.toLowerCase()));
  return [called, ...more].join(" ");
}

/** Returns the ordered quantity and the number of refills. */
export function formatQuantity({ qty, qty_units, auth_refills }: Medication): string {
  const amount = [qty, qty_units?.toLowerCase()].filter(Boolean).join(" ");
  return auth_refills ? `${amount}, ${auth_refills} refills` : amount;
}

/** Returns when a medication was discontinued, by its own record or by its thread. */
export function medicationEndDate({ discontinuations }: ChartRecords, { id, data }: Entry<Medication>): string | null {
  const ended = discontinuations.find((entry) => entry.data.med_order === id);
  return ended?.data.discontinue_date ?? data.thread?.dc_date ?? null;
}

export function formatVaccineName({ vaccine, description }: Immunization): string {
  return vaccine?.name || vaccine?.cdc_name || description || "Vaccine without a name";
}

/** One measured value. */
export interface VitalSign {
  loinc: string;
  name: string;
  value: string;
  /** In UCUM. */
  unit: string;
  /** As people write it. */
  displayUnit: string;
}

/** Returns a measured value with its unit. A value that isn't a number is shown as entered, without a unit. */
export function formatVitalSign({ value, displayUnit }: VitalSign): string {
  return /^[\d.,]+$/.test(value) ? `${value} ${displayUnit}` : value;
}

export function measuredAt({ data, createdDate }: Entry<Vitals>): string {
  return data.chart_date ?? data.document_date ?? createdDate;
}

interface Measure {
  value?: string | null | undefined;
}

/** Returns the values of a vitals record, as entered. Omits empty ones. */
export function listVitalSigns(data: Vitals): VitalSign[] {
  const many = (measures: readonly Measure[] | undefined, sign: Omit<VitalSign, "value">) =>
    (measures ?? []).flatMap(({ value }) => (value?.trim() ? [{ ...sign, value: value.trim() }] : []));
  const pressures = (side: "systolic" | "diastolic") => (data.bp ?? []).map((pressure) => ({ value: pressure[side] }));
  const temperatures = (scale: string) =>
    (data.temperature ?? []).filter(({ units = "fahrenheit" }) => units === scale);
  const sign = (loinc: string, name: string, unit: string, displayUnit = unit) => ({ loinc, name, unit, displayUnit });
  return [
    ...many(pressures("systolic"), sign("8480-6", "Systolic blood pressure", "mm[Hg]", "mmHg")),
    ...many(pressures("diastolic"), sign("8462-4", "Diastolic blood pressure", "mm[Hg]", "mmHg")),
    ...many(data.hr, sign("8867-4", "Heart rate", "/min", "per minute")),
    ...many(data.rr, sign("9279-1", "Respiratory rate", "/min", "per minute")),
    ...many(temperatures("celsius"), sign("8310-5", "Body temperature", "Cel", "°C")),
    ...many(temperatures("fahrenheit"), sign("8310-5", "Body temperature", "[degF]", "°F")),
    ...many(data.oxygen, sign("59408-5", "Oxygen saturation", "%")),
    ...many(data.height, sign("8302-2", "Body height", "[in_i]", "in")),
    ...many(data.weight, sign("29463-7", "Body weight", "[lb_av]", "lb")),
    ...many(data.hc, sign("8287-5", "Head circumference", "cm")),
    ...many(
      typeof data.bmi === "number" ? [{ value: String(data.bmi) }] : [],
      sign("39156-5", "Body mass index", "kg/m2", "kg/m²"),
    ),
    ...many(data.pain, sign("72514-3", "Pain severity", "{score}", "of 10")),
  ];
}

export function formatResultValue({ value, text, units }: LabResult): string {
  return [value || text || "", units].filter(Boolean).join(" ");
}

/** Returns a result's reference range as text, or an empty string if it has none. */
export function formatReferenceRange({ reference_min: low, reference_max: high }: LabResult): string {
  if (low && high) return `${low} – ${high}`;
  if (low) return `≥ ${low}`;
  return high ? `≤ ${high}` : "";
}

type Moment = string | null | undefined;

/** Returns a function that converts a time (ISO 8601) to the day in a time zone. It returns days as given, and null for anything else. */
export function dayFormatter(timezone: string): (moment: Moment) => string | null {
  const format = dateFormat("en-CA", { timeZone: timezone, dateStyle: "short" });
  return (moment) => {
    if (!moment || /^\d{4}-\d\d-\d\d$/.test(moment)) return moment ?? null;
    const time = new Date(moment);
    return Number.isNaN(time.getTime()) ? null : format.format(time).padStart(10, "0");
  };
}
