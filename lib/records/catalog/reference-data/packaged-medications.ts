import { z } from "zod";
import { createdDate, deletedDate, readOnly, reference, refersTo, text, time } from "@/lib/records/engine/fields";
import { defineResource } from "@/lib/records/engine/schema";

const textOrNone = readOnly(text().nullable(), null);
const flagOrNone = readOnly(z.boolean().nullable(), null);
const timeOrNone = readOnly(time.nullable(), null);

/** A packaged medication, identified by its national drug code. */
export const packagedMedications = defineResource({
  name: "packaged_medications",
  title: "PackagedMedication",
  noun: "packaged medication",
  owner: "everyone",
  operations: ["list", "get"],
  fields: {
    created_date: createdDate,
    deleted_date: deletedDate,
    din: textOrNone,
    gpi: textOrNone,
    has_outer_packaged_drug: flagOrNone,
    hri: textOrNone,
    is_active: readOnly(z.boolean(), true),
    is_clinic_pack: flagOrNone,
    is_repackaged: flagOrNone,
    labeler_id: refersTo(readOnly(reference), "packaged_medication_labelers"),
    market_end_date: timeOrNone,
    medispanppid: textOrNone,
    multi_source: textOrNone,
    name: readOnly(text(), ""),
    ndc: textOrNone,
    obsolete_date: timeOrNone,
    packaging_name: textOrNone,
    reference_medication_id: refersTo(readOnly(reference), "reference_medications"),
    size_description: textOrNone,
    upc: textOrNone,
  },
  filters: ["is_active", ["is_deleted", "deleted_date__isnotnull"], "name", "ndc", "reference_medication_id"],
  bulkLoad: { key: "ndc" },
});
