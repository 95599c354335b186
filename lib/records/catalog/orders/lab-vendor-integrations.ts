import { z } from "zod";
import {
  createdDate,
  defaulted,
  deletedDate,
  practiceColumn,
  reference,
  refersTo,
  required,
} from "@/lib/records/engine/fields";
import { defineResource, OPERATIONS } from "@/lib/records/engine/schema";

/** A practice's connection to a laboratory. */
export const labVendorIntegrations = defineResource({
  name: "lab_vendor_integrations",
  title: "LabVendorIntegration",
  noun: "lab vendor integration",
  owner: "practice",
  operations: OPERATIONS,
  fields: {
    allow_print: defaulted(z.boolean(), false),
    created_date: createdDate,
    deleted_date: deletedDate,
    lab_vendor: refersTo(required(reference), "lab_vendors"),
    orders_status: required(
      z.enum(["blocked", "completed_testing", "live", "not_requested", "pending_testing", "waiting_on_lab"]),
    ),
    practice: practiceColumn,
    results_status: required(
      z.enum(["blocked", "completed_testing", "live", "not_requested", "pending_testing", "waiting_on_lab"]),
    ),
  },
  filters: ["lab_vendor", "practice"],
});
