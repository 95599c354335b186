import { z } from "zod";
import {
  defaulted,
  defaultedPracticeColumn,
  list,
  optional,
  readOnly,
  reference,
  required,
  text,
  time,
} from "@/lib/records/engine/fields";
import { defineResource, OPERATIONS } from "@/lib/records/engine/schema";
import { biDiLabConnection } from "@/lib/records/rules/nested-schemas";

const labOrderTestCompendium = z.object({
  code: text(200).nullable().optional(),
  created_date: time.nullable().readonly().optional(),
  deleted_date: time.nullable().readonly().optional(),
  id: reference.readonly().optional(),
  lab_vendor: reference,
  last_updated: time.readonly().optional(),
  name: text(200),
});

/** A laboratory. */
export const labVendors = defineResource({
  name: "lab_vendors",
  title: "LabVendor",
  noun: "lab vendor",
  owner: "practice",
  shared: true,
  operations: OPERATIONS,
  fields: {
    bidi_connections: readOnly(list(biDiLabConnection), []),
    compendiums: optional(list(labOrderTestCompendium)),
    default_compendium: optional(labOrderTestCompendium),
    display_name: required(text(100)),
    has_order_compendium: defaulted(z.boolean(), false),
    has_test_compendium: defaulted(z.boolean(), false),
    is_bidi: defaulted(z.boolean(), false),
    is_in_house: defaulted(z.boolean(), false),
    name: required(text(50)),
    orders_integration_available: defaulted(z.boolean(), false),
    practice_created: defaultedPracticeColumn,
    results_integration_available: defaulted(z.boolean(), false),
  },
  filters: ["name", "practice_created"],
});
