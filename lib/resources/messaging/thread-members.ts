import { defaulted, defineResource, OPERATIONS, optional, referring, required } from "../schema";
import { threadMemberStatus } from "../shapes";
import { reference, time, whole } from "../values";

/** Who takes part in a conversation: somebody of the staff, or a group. */
export const threadMembers = defineResource({
  name: "thread_members",
  title: "ThreadMember",
  noun: "thread member",
  owner: { field: "thread" },
  operations: OPERATIONS,
  fields: {
    ack_time: defaulted(time),
    group: referring(optional(reference), "staff_groups"),
    status: required(threadMemberStatus),
    thread: referring(required(reference), "message_threads"),
    user: referring(optional(whole()), "users"),
  },
  filters: ["ack_time", "group", "patient", "practice", "status", "thread", "user"],
});
