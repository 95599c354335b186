import { z } from "zod";
import {
  createdDate,
  defaulted,
  defaultedPracticeColumn,
  list,
  optional,
  readOnly,
  text,
  time,
} from "@/lib/records/engine/fields";
import { defineResource, OPERATIONS } from "@/lib/records/engine/schema";
import { medicationDrugType, medicationType } from "@/lib/records/rules/nested-schemas";

/** A medication that a practice orders: its own, or a known one. */
export const practiceMedications = defineResource({
  name: "practice_medications",
  title: "Medication",
  noun: "practice medication",
  owner: "practice",
  operations: OPERATIONS,
  fields: {
    active_ndcs: defaulted(list(text()), []),
    brand_name: readOnly(text(), ""),
    created_date: createdDate,
    creation_type: readOnly(medicationDrugType),
    form: readOnly(text(), ""),
    generic_name: readOnly(text(), ""),
    is_controlled: defaulted(z.boolean(), false),
    market_end_date: optional(time),
    name: defaulted(text(), ""),
    ndcs: defaulted(list(text()), []),
    obsolete_date: optional(time),
    practice: defaultedPracticeColumn,
    route: readOnly(text(), ""),
    rxnorm_cuis: defaulted(list(text()), []),
    strength: optional(text(255)),
    type: defaulted(medicationType, "prescription"),
  },
  filters: ["name", "practice"],
  beforeWrite: ({ data }) => ({ ...data, creation_type: data.creation_type ?? ("user" as const) }),
});
