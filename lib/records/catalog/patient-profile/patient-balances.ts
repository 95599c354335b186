import { decimal } from "@/lib/records/engine/field-types";
import { defineResource, patientColumn, required } from "@/lib/records/engine/schema";

/** What a patient owes, as the billing system of a practice says it. A patient has one balance. */
export const patientBalances = defineResource({
  name: "patient_balances",
  title: "PatientOutstandingBalance",
  noun: "outstanding balance",
  owner: "patient",
  partOf: { resource: "patients", id: ({ patient_id }) => patient_id as number },
  operations: ["create", "replace"],
  fields: { balance: required(decimal(10, 2)), patient_id: patientColumn },
  filters: ["patient"],
});
