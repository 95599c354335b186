import { z } from "zod";
import {
  createdDate,
  defaulted,
  defaultedPracticeColumn,
  deletedDate,
  idColumn,
  integer,
  list,
  nullablePracticeColumn,
  optional,
  readOnly,
  required,
  text,
} from "@/lib/records/engine/fields";
import { defineResource } from "@/lib/records/engine/schema";

/** The fields of a vaccine that a practice adds. The contract has all of them read-only, which leaves nothing to send. */
const added = {
  cvx: optional(integer(0, 9_999)),
  description: defaulted(text(255), ""),
  name: required(text(255)),
  ndc: optional(text(31)),
  practice: defaultedPracticeColumn,
};

/** A vaccine that practices give. */
export const vaccine = defineResource({
  name: "vaccine",
  title: "Vaccine",
  noun: "vaccine",
  owner: "practice",
  shared: true,
  operations: ["list", "create", "get", "delete"],
  fields: {
    cdc_type: readOnly(text().nullable(), null),
    created_date: createdDate,
    creation_type: readOnly(z.enum(["elation", "medispan", "user"])),
    cvx: readOnly(integer().nullable(), null),
    deleted_date: deletedDate,
    description: readOnly(text(), ""),
    is_user_created: readOnly(z.boolean(), false),
    name: readOnly(text(), ""),
    ndc: readOnly(text().nullable(), null),
    ndc_values: readOnly(list(text()), []),
    practice: nullablePracticeColumn,
  },
  views: {
    create: {
      title: "CreatedVaccine",
      fields: {
        id: idColumn,
        ...added,
        creation_type: readOnly(z.enum(["user"])),
        is_user_created: readOnly(z.boolean()),
      },
    },
  },
  beforeWrite: ({ data }) => ({
    ...data,
    creation_type: "user" as const,
    is_user_created: true,
    ndc_values: data.ndc === null ? [] : [data.ndc],
  }),
  filters: ["cdc_type", "creation_type", "cvx", "name", "practice"],
  bulkLoad: { key: "cvx" },
});
