import { z } from "zod";
import { reference, whole } from "@/lib/records/engine/field-types";
import { createdDate, defineResource, ofPractice, referring, required } from "@/lib/records/engine/schema";

/** Who may do what in place of a physician. */
export const delegatePermissions = defineResource({
  name: "delegate_permissions",
  title: "DelegatePermission",
  noun: "delegate permission",
  owner: "practice",
  operations: ["list", "create", "get", "delete"],
  fields: {
    created_date: createdDate,
    delegate_user: referring(required(whole()), "users"),
    permission_type: required(z.enum(["bills", "messages", "orders", "referrals", "rxs"])),
    physician: referring(required(reference), "physicians"),
    practice: ofPractice,
  },
  filters: [],
});
