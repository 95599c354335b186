import {
  createdDate,
  defaulted,
  defaultedPracticeColumn,
  deletedDate,
  optional,
  reference,
  required,
  text,
} from "@/lib/records/engine/fields";
import { defineResource, OPERATIONS } from "@/lib/records/engine/schema";
import { labVendorIdName } from "@/lib/records/rules/nested-schemas";

/** A laboratory's location for patients. */
export const labVendorPatientSites = defineResource({
  name: "lab_vendor_patient_sites",
  title: "LabVendorPatientSite",
  noun: "lab vendor patient site",
  owner: "practice",
  operations: OPERATIONS,
  fields: {
    address: defaulted(text(200), ""),
    city: defaulted(text(50), ""),
    created_date: createdDate,
    deleted_date: deletedDate,
    fax: optional(text(20)),
    name: required(text(200)),
    phone: optional(text(20)),
    practice_created: defaultedPracticeColumn,
    state: defaulted(text(2), ""),
    suite: optional(text(40)),
    vendor: defaulted(labVendorIdName),
    zip: defaulted(text(10), ""),
  },
  filters: ["practice", "vendor"],
  keys: { vendor: { schema: reference, value: ({ vendor }) => vendor?.id } },
  nestedReferences: { vendor: { id: "lab_vendors" } },
});
