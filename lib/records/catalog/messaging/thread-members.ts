import { ValidationError } from "@/lib/platform/errors";
import { defaulted, integer, optional, reference, refersTo, required, time } from "@/lib/records/engine/fields";
import { defineResource, OPERATIONS } from "@/lib/records/engine/schema";
import { threadMemberStatus } from "@/lib/records/rules/nested-schemas";

/** A member of a conversation: a user or a group. Each can join it only once. */
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
    user: refersTo(optional(integer()), "users"),
  },
  filters: ["ack_time", "group", "patient", "practice", "status", "thread", "user"],
  beforeWrite: async ({ id, data, resource, reader }) => {
    const members = await reader.recordsWhere(resource, "thread", [data.thread]);
    const others = members.filter((member) => member.id !== id);
    for (const field of ["user", "group"] as const) {
      const isMember = data[field] !== null && others.some((member) => member.data[field] === data[field]);
      if (isMember) throw new ValidationError({ [field]: ["Already takes part in this conversation."] });
    }
    return data;
  },
});
