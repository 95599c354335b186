import { ValidationError } from "@/lib/platform/errors";
import {
  createdDate,
  deletedDate,
  integer,
  optional,
  reference,
  refersTo,
  required,
} from "@/lib/records/engine/fields";
import { defineResource } from "@/lib/records/engine/schema";

/** A user or group that a report is routed to, each at most once. */
export const reportDelegates = defineResource({
  name: "report_delegates",
  title: "RoutedDocumentDelegate",
  noun: "delegate",
  owner: { field: "document" },
  partOf: { resource: "reports", id: ({ data }) => data.document },
  operations: ["list", "create", "delete"],
  fields: {
    created_date: createdDate,
    deleted_date: deletedDate,
    document: refersTo(required(reference), "reports"),
    group: refersTo(optional(integer()), "staff_groups"),
    user: refersTo(optional(integer()), "users"),
  },
  filters: ["document"],
  beforeWrite: async ({ data, resource, reader }) => {
    const { user, group, document } = data;
    if ((user === null) === (group === null))
      throw new ValidationError({ non_field_errors: ["Either user or group is required."] });
    const delegates = await reader.recordsWhere(resource, "document", [document]);
    if (delegates.some((other) => other.data.user === user && other.data.group === group)) {
      throw new ValidationError({ [user === null ? "group" : "user"]: ["Is already a delegate of this report."] });
    }
    return data;
  },
});
