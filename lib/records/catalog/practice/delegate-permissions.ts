import { z } from "zod";
import { createdDate, integer, practiceColumn, reference, refersTo, required } from "@/lib/records/engine/fields";
import { defineResource } from "@/lib/records/engine/schema";

/** Permission for a user to act on behalf of a physician. */
export const delegatePermissions = defineResource({
  name: "delegate_permissions",
  title: "DelegatePermission",
  noun: "delegate permission",
  owner: "practice",
  operations: ["list", "create", "get", "delete"],
  fields: {
    created_date: createdDate,
    delegate_user: refersTo(required(integer()), "users"),
    permission_type: required(z.enum(["bills", "messages", "orders", "referrals", "rxs"])),
    physician: refersTo(required(reference), "physicians"),
    practice: practiceColumn,
  },
  filters: [],
});
