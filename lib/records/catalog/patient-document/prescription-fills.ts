import { z } from "zod";
import {
  day,
  optional,
  patientColumn,
  practiceColumn,
  reference,
  refersTo,
  required,
  text,
} from "@/lib/records/engine/fields";
import { defineResource } from "@/lib/records/engine/schema";

/** What a pharmacy reported about filling a prescription. */
export const prescriptionFills = defineResource({
  name: "prescription_fills",
  title: "PrescriptionFill",
  noun: "prescription fill",
  owner: "patient",
  operations: ["list", "get"],
  fields: {
    fill_date: optional(day),
    fill_status: required(z.enum(["AH", "AJ", "AK", "AL"])),
    medication_order: refersTo(required(reference), "medications"),
    note_from_pharmacy: optional(text(200)),
    patient: patientColumn,
    pharmacy_ncpdpid: required(text(21)),
    practice: practiceColumn,
  },
  filters: ["fill_date__gte", "fill_date__isnull", "fill_date__lte", "fill_status", "patient", "practice"],
  sortFields: ["fill_date"],
});
