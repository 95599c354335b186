import { z } from "zod";
import {
  createdDate,
  defaulted,
  deletedDate,
  integer,
  patientColumn,
  required,
  text,
} from "@/lib/records/engine/fields";
import { defineResource } from "@/lib/records/engine/schema";

const patientHistoryType = z.enum([
  "Cognitive Status",
  "Consultation",
  "Diet",
  "Exercise",
  "Family",
  "Functional Status",
  "Habits",
  "Health Maintenance",
  "Immunization",
  "Legal",
  "Past",
  "Past Surgical",
  "Psychological",
  "Social",
]);

/** An entry of a patient's past medical, surgical or social history. */
export const histories = defineResource({
  name: "histories",
  title: "PatientHistory",
  noun: "history",
  owner: "patient",
  operations: ["list", "create", "get", "delete"],
  fields: {
    created_date: createdDate,
    deleted_date: deletedDate,
    patient: patientColumn,
    rank: defaulted(integer(0, 65535)),
    text: required(text()),
    type: required(patientHistoryType),
  },
  filters: ["patient", "practice"],
});
