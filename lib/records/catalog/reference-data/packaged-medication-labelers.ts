import { required, text } from "@/lib/records/engine/fields";
import { defineResource } from "@/lib/records/engine/schema";

/** A company that markets medications under its label. */
export const packagedMedicationLabelers = defineResource({
  name: "packaged_medication_labelers",
  title: "PackagedMedicationLabeler",
  noun: "labeler",
  owner: "everyone",
  operations: ["list", "get"],
  fields: { medispanid: required(text(32)), name: required(text(255)) },
  filters: ["name"],
  bulkLoad: { key: "medispanid" },
});
