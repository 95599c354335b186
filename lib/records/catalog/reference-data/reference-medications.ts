import { createdDate, readOnly, required, text } from "@/lib/records/engine/fields";
import { defineResource } from "@/lib/records/engine/schema";
import { medication } from "@/lib/records/rules/nested-schemas";

const { shape } = medication;

/** A medication that can be ordered, independent of its packaging. Shared records have no `practice`. */
export const referenceMedications = defineResource({
  name: "reference_medications",
  title: "ReferenceMedication",
  noun: "reference medication",
  owner: "everyone",
  operations: ["list", "get"],
  fields: {
    active_ndcs: readOnly(shape.active_ndcs, []),
    brand_name: readOnly(shape.brand_name, ""),
    created_date: createdDate,
    creation_type: readOnly(shape.creation_type, "medispan"),
    form: readOnly(shape.form, ""),
    generic_name: readOnly(shape.generic_name, ""),
    is_controlled: readOnly(shape.is_controlled, false),
    market_end_date: readOnly(shape.market_end_date, null),
    name: required(text()),
    ndcs: readOnly(shape.ndcs, []),
    obsolete_date: readOnly(shape.obsolete_date, null),
    practice: readOnly(shape.practice),
    route: readOnly(shape.route, ""),
    rxnorm_cuis: readOnly(shape.rxnorm_cuis, []),
    strength: readOnly(shape.strength, null),
    type: readOnly(shape.type, "prescription"),
  },
  filters: ["name", ["ndc", "ndcs"], "practice", ["rxnorm_cui", "rxnorm_cuis"]],
});
