import { ValidationError } from "@/lib/platform/errors";
import { reference, whole } from "@/lib/records/engine/field-types";
import {
  createdDate,
  type Data,
  defineResource,
  deletedDate,
  optional,
  refersTo,
  required,
  type Write,
} from "@/lib/records/engine/schema";

/** Somebody of the staff, or a group, that a report was routed to. */
export const reportDelegates = defineResource({
  name: "report_delegates",
  title: "RoutedDocumentDelegate",
  noun: "delegate",
  owner: { field: "document" },
  partOf: { resource: "reports", id: ({ data }) => data.document as number },
  operations: ["list", "create", "delete"],
  fields: {
    created_date: createdDate,
    deleted_date: deletedDate,
    document: refersTo(required(reference), "reports"),
    group: refersTo(optional(whole()), "staff_groups"),
    user: refersTo(optional(whole()), "users"),
  },
  filters: ["document"],
  beforeWrite: requireOneAddressee,
});

/** @throws ValidationError where it is nobody, both, or who has the report already */
async function requireOneAddressee({ data, read }: Write): Promise<Data> {
  const { user, group, document } = data;
  if ((user === null) === (group === null))
    throw new ValidationError({ non_field_errors: ["Name a user or a group."] });
  const routed = await read.recordsWhere("report_delegates", "document", [document as number]);
  if (routed.some((other) => other.data.user === user && other.data.group === group)) {
    throw new ValidationError({ [user === null ? "group" : "user"]: ["Is a delegate of this report already."] });
  }
  return data;
}
