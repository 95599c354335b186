import { z } from "zod";
import {
  createdDate,
  defaulted,
  deletedDate,
  integer,
  readOnlyPracticeColumn,
  reference,
  required,
  text,
  time,
} from "@/lib/records/engine/fields";
import { defineResource } from "@/lib/records/engine/schema";

const uploadedPhoto = z.object({
  content_type: text().readonly().optional(),
  file_size: integer().readonly().optional(),
  height: integer().readonly().optional(),
  id: reference.readonly().optional(),
  last_updated: time.readonly().optional(),
  original_filename: text().readonly().optional(),
  width: integer().readonly().optional(),
});

/** The header of a practice's printed documents. */
export const printHeaders = defineResource({
  name: "print_headers",
  title: "PracticePrintHeader",
  noun: "print header",
  owner: "practice",
  operations: ["list", "get", "delete"],
  fields: {
    content_type: defaulted(text(5), ""),
    created_date: createdDate,
    deleted_date: deletedDate,
    header: defaulted(text(500), ""),
    header_image: defaulted(uploadedPhoto),
    image_placement: defaulted(text(12), ""),
    name: required(text(200)),
    practice: readOnlyPracticeColumn,
  },
  filters: [],
});
