import { z } from "zod";
import { defaulted, required, text } from "@/lib/records/engine/fields";
import { defineResource } from "@/lib/records/engine/schema";

/** A subject of letters between a patient and the practice, and who in the practice receives them. */
export const patientLetterCategories = defineResource({
  name: "patient_letter_categories",
  title: "LetterCategory",
  noun: "patient letter category",
  owner: "practice",
  shared: true,
  operations: ["list", "get"],
  fields: {
    key: required(text(25)),
    role: defaulted(z.enum(["Primary Provider", "Staff"])),
    text: required(text(100)),
  },
  filters: [],
  bulkLoad: { key: "key" },
});
