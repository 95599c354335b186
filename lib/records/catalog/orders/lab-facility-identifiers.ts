import { z } from "zod";
import {
  createdDate,
  defaulted,
  deletedDate,
  integer,
  optional,
  practiceColumn,
  readOnly,
  reference,
  refersTo,
  required,
  text,
} from "@/lib/records/engine/fields";
import { defineResource, OPERATIONS } from "@/lib/records/engine/schema";
import { biDiLabConnection } from "@/lib/records/rules/nested-schemas";

/** The identifier of a practice's location at a laboratory. */
export const labFacilityIdentifiers = defineResource({
  name: "lab_facility_identifiers",
  title: "FacilityIdentifier",
  noun: "lab facility identifier",
  owner: "practice",
  operations: OPERATIONS,
  fields: {
    active: required(z.boolean()),
    bidi_connection: readOnly(biDiLabConnection.nullable(), null),
    compendium: refersTo(optional(reference), "lab_order_compendiums"),
    created_date: createdDate,
    deleted_date: deletedDate,
    description: optional(text(255)),
    lab_connection: optional(integer()),
    lab_facility: required(text(50)),
    practice: practiceColumn,
    practice_facility: required(text(50)),
    practice_secondary_id: optional(text()),
    user_facing: defaulted(z.boolean(), false),
    vendor: required(z.object({ display_name: text().optional(), id: reference.optional(), name: text().optional() })),
  },
  filters: [],
});
