import { ValidationError } from "@/lib/platform/errors";
import { reference, time, whole } from "@/lib/records/engine/field-types";
import {
  type Data,
  defaulted,
  defineResource,
  OPERATIONS,
  optional,
  refersTo,
  required,
  type Write,
} from "@/lib/records/engine/schema";
import { threadMemberStatus } from "@/lib/records/rules/nested-schemas";

/** Who takes part in a conversation: somebody of the staff, or a group. */
export const threadMembers = defineResource({
  name: "thread_members",
  title: "ThreadMember",
  noun: "thread member",
  owner: { field: "thread" },
  operations: OPERATIONS,
  fields: {
    ack_time: defaulted(time),
    group: refersTo(optional(reference), "staff_groups"),
    status: required(threadMemberStatus),
    thread: refersTo(required(reference), "message_threads"),
    user: refersTo(optional(whole()), "users"),
  },
  filters: ["ack_time", "group", "patient", "practice", "status", "thread", "user"],
  beforeWrite: joinOnce,
});

/** @throws ValidationError where the user or group takes part already: which of them has answered could not be told */
async function joinOnce({ id, data, read }: Write): Promise<Data> {
  const members = await read.recordsWhere("thread_members", "thread", [data.thread as number]);
  for (const field of ["user", "group"]) {
    const isThere = members.some(
      (one) => one.id !== id && typeof data[field] === "number" && one.data[field] === data[field],
    );
    if (isThere) throw new ValidationError({ [field]: ["Takes part in this conversation already."] });
  }
  return data;
}
