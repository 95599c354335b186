import { z } from "zod";
import {
  createdDate,
  defaulted,
  deletedDate,
  integer,
  list,
  practiceColumn,
  refersTo,
  required,
  text,
} from "@/lib/records/engine/fields";
import { defineResource, OPERATIONS } from "@/lib/records/engine/schema";

/** A group of users who receive things together. */
export const staffGroups = defineResource({
  name: "staff_groups",
  title: "StaffGroup",
  noun: "staff group",
  owner: "practice",
  operations: OPERATIONS,
  fields: {
    created_date: createdDate,
    deleted_date: deletedDate,
    is_elation_group: defaulted(z.boolean(), false),
    name: required(text(50)),
    practice: practiceColumn,
    users: refersTo(required(list(integer())), "users"),
  },
  filters: ["name", "practice"],
});
