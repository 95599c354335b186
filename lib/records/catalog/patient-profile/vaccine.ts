import { z } from "zod";
import { list, text, whole } from "@/lib/records/engine/field-types";
import {
  createdDate,
  defaulted,
  defaultedPracticeColumn,
  defineResource,
  deletedDate,
  idColumn,
  nullablePracticeColumn,
  optional,
  readOnly,
  required,
} from "@/lib/records/engine/schema";

/** What a practice says of a vaccine it adds. The contract has all of it read only, and so nothing a vaccine could be made of. */
const added = {
  cvx: optional(whole(0, 9_999)),
  description: defaulted(text(255), ""),
  name: required(text(255)),
  ndc: optional(text(31)),
  practice: defaultedPracticeColumn,
};

/** A vaccine a practice gives. */
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
    cvx: readOnly(whole().nullable(), null),
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
    ...{ creation_type: "user", is_user_created: true, ndc_values: [data.ndc ?? []].flat() },
  }),
  filters: ["cdc_type", "creation_type", "cvx", "name", "practice"],
  bulkLoad: { key: "cvx" },
});
