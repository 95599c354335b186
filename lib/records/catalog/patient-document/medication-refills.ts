import { z } from "zod";
import {
  defaulted,
  integer,
  optional,
  optionalPatientColumn,
  practiceColumn,
  reference,
  required,
  time,
} from "@/lib/records/engine/fields";
import { defineResource } from "@/lib/records/engine/schema";

/** A pharmacy's request to refill a prescription. */
export const medicationRefills = defineResource({
  name: "medication_refills",
  title: "RxRefillRequest",
  noun: "medication refill",
  owner: "patient",
  operations: ["list", "get"],
  fields: {
    original_medication_order: required(reference),
    patient: optionalPatientColumn,
    patient_matched: defaulted(z.boolean(), false),
    patient_matching_result: required(z.enum(["COMPLETE_MATCH", "MULTIPLE_MATCHES", "NO_MATCH"])),
    practice: practiceColumn,
    prescriber: required(reference),
    received_date: required(time),
    requested_pharmacy_ncpdpid: required(integer()),
    supervisor: optional(reference),
  },
  filters: ["patient", "practice", "prescriber", "received_date__gte", "received_date__lte"],
});
