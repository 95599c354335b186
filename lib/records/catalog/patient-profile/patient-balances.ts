import { decimal, patientColumn, required } from "@/lib/records/engine/fields";
import { defineResource } from "@/lib/records/engine/schema";

/** What a patient owes, as reported by the practice's billing system. Each patient has at most one balance. */
export const patientBalances = defineResource({
  name: "patient_balances",
  title: "PatientOutstandingBalance",
  noun: "outstanding balance",
  owner: "patient",
  partOf: { resource: "patients", id: ({ patient_id }) => patient_id },
  operations: ["create", "replace"],
  fields: { balance: required(decimal(10, 2)), patient_id: patientColumn },
  filters: ["patient"],
});
