import { z } from "zod";
import {
  createdDate,
  defaulted,
  deletedDate,
  integer,
  list,
  optional,
  patientColumn,
  practiceColumn,
  reference,
  refersTo,
  required,
  text,
  time,
} from "@/lib/records/engine/fields";
import { toRecordDto } from "@/lib/records/engine/queries";
import { creates, defineResource, deletes, OPERATIONS, rangeFilters, updates } from "@/lib/records/engine/schema";
import { withSignature } from "@/lib/records/rules/documents";
import { document, MAX_THREAD_CHARACTERS, threadMemberStatus } from "@/lib/records/rules/nested-schemas";
import { threadMembers } from "./thread-members";
import { threadMessages } from "./thread-messages";

const threadMember = z.object({
  ack_time: time.optional(),
  group: reference.nullable().optional(),
  id: reference.readonly().optional(),
  status: threadMemberStatus,
  thread: reference.readonly().optional(),
  user: integer().nullable().optional(),
});

const threadMessage = z.object({
  body: text(),
  id: reference.readonly().optional(),
  patient: reference.readonly().optional(),
  practice: reference.readonly().optional(),
  send_date: time,
  sender: integer(),
  thread: reference.readonly().optional(),
  to_document: document.optional(),
});

const messagesOfThread = list(threadMessage).refine((sent) => JSON.stringify(sent).length <= MAX_THREAD_CHARACTERS, {
  error: `Must have at most ${MAX_THREAD_CHARACTERS} characters as JSON.`,
});

/** A conversation about a patient. Its members and messages are separate records. */
export const messageThreads = defineResource({
  name: "message_threads",
  title: "MessageThread",
  noun: "message thread",
  owner: "patient",
  operations: OPERATIONS,
  fields: {
    chart_date: required(time),
    created_date: createdDate,
    deleted_date: deletedDate,
    delivery_date: optional(time),
    document_date: required(time),
    is_urgent: defaulted(z.boolean(), false),
    members: defaulted(list(threadMember), []),
    messages: defaulted(messagesOfThread, []),
    patient: patientColumn,
    practice: practiceColumn,
    signed_by: refersTo(optional(reference), "physicians"),
    signed_date: optional(time),
  },
  filters: [...rangeFilters("document_date"), "patient", "practice"],
  sortFields: ["document_date"],
  stored: { members: z.undefined(), messages: z.undefined() },
  beforeWrite: (write) => {
    const { members: _members, messages: _messages, ...data } = withSignature(write);
    return data;
  },
  // New entries become records. For a user or group that is a member already, the status is updated. Omitted entries stay:
  // members and messages are deleted by their own paths, or with the thread.
  effects: async ({ kind, record, sent, reader }) => {
    const members = await reader.recordsWhere(threadMembers, "thread", [record.id]);
    const messages = await reader.recordsWhere(threadMessages, "thread", [record.id]);
    if (kind === "deleted") {
      return [
        ...members.map(({ id }) => deletes(threadMembers, id)),
        ...messages.map(({ id }) => deletes(threadMessages, id)),
      ];
    }
    const memberEffects = (sent.members ?? []).map((entry, index) => {
      const member = members.find(({ data }) => isSameMember(data, entry));
      const data = { ...entry, thread: record.id };
      return member ? updates(threadMembers, member.id, data) : creates(threadMembers, data, ["members", index]);
    });
    const messageEffects = (sent.messages ?? []).flatMap((entry, index) =>
      messages.some(({ data }) => isSameMessage(data, entry))
        ? []
        : [creates(threadMessages, { ...entry, thread: record.id }, ["messages", index])],
    );
    return [...memberEffects, ...messageEffects];
  },
  serialize: async (records, { reader }) => {
    const ids = records.map(({ id }) => id);
    const [members, messages] = await Promise.all([
      reader.recordsWhere(threadMembers, "thread", ids),
      reader.recordsWhere(threadMessages, "thread", ids),
    ]);
    return ids.map((id) => ({
      members: members.filter(({ data }) => data.thread === id).map((row) => toRecordDto(threadMembers, "get", row)),
      messages: messages.filter(({ data }) => data.thread === id).map((row) => toRecordDto(threadMessages, "get", row)),
    }));
  },
});

type Member = Pick<z.output<typeof threadMember>, "user" | "group">;
type Message = Pick<z.output<typeof threadMessage>, "sender" | "send_date" | "body">;

function isSameMember(a: Member, b: Member): boolean {
  return (a.user ?? null) === (b.user ?? null) && (a.group ?? null) === (b.group ?? null);
}

function isSameMessage(a: Message, b: Message): boolean {
  return a.sender === b.sender && a.send_date === b.send_date && a.body === b.body;
}
