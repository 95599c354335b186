import { z } from "zod";
import { toRecordDto } from "@/lib/records/engine/dto";
import { list, reference, text, time, whole } from "@/lib/records/engine/field-types";
import {
  type Change,
  createdDate,
  type Data,
  defaulted,
  defineResource,
  deletedDate,
  type Effect,
  OPERATIONS,
  optional,
  patientColumn,
  practiceColumn,
  type RecordRow,
  type Resource,
  rangeFilters,
  refersTo,
  required,
  type SerializeContext,
} from "@/lib/records/engine/schema";
import { document, LARGEST_THREAD, threadMemberStatus } from "@/lib/records/rules/nested-schemas";
import { withSignature } from "@/lib/records/rules/signatures";
import { threadMembers } from "./thread-members";
import { threadMessages } from "./thread-messages";

const threadMember = z.object({
  ack_time: time.optional(),
  group: reference.nullable().optional(),
  id: reference.readonly().optional(),
  status: threadMemberStatus,
  thread: reference.readonly().optional(),
  user: whole().nullable().optional(),
});

const threadMessage = z.object({
  body: text(),
  id: reference.readonly().optional(),
  patient: reference.readonly().optional(),
  practice: reference.readonly().optional(),
  send_date: time,
  sender: whole(),
  thread: reference.readonly().optional(),
  to_document: document.optional(),
});

const messagesOfThread = list(threadMessage).refine((sent) => JSON.stringify(sent).length <= LARGEST_THREAD, {
  error: `Must have at most ${LARGEST_THREAD} characters as JSON.`,
});

/** A conversation about a patient among the staff. Its members and messages are records of their own. */
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
  beforeWrite: (write) => {
    const { members: _members, messages: _messages, ...own } = withSignature(write);
    return own;
  },
  effects: writeParts,
  serialize: showParts,
});

/** The lists of a thread, the records their entries are, and by what an entry is known to be there already. */
const PARTS: readonly { field: "members" | "messages"; resource: Resource; isSame: (a: Data, b: Data) => boolean }[] = [
  {
    field: "members",
    resource: threadMembers,
    isSame: (a, b) => (a.user ?? null) === (b.user ?? null) && (a.group ?? null) === (b.group ?? null),
  },
  {
    field: "messages",
    resource: threadMessages,
    isSame: (a, b) => a.sender === b.sender && a.send_date === b.send_date && a.body === b.body,
  },
];

/**
 * Entries sent with a thread become records; who is a member already gets the status that was sent. What is left out stays:
 * members and messages are removed by their own paths. With the thread, all of them go.
 */
async function writeParts({ kind, record, sent, read }: Change): Promise<Effect[]> {
  const effects: Effect[] = [];
  for (const { field, resource, isSame } of PARTS) {
    const present = await read.recordsWhere(resource.name, "thread", [record.id]);
    if (kind === "deleted") effects.push(...present.map(({ id }) => ({ kind: "delete" as const, resource, id })));
    for (const [index, entry] of ((sent[field] ?? []) as Data[]).entries()) {
      const same = present.find(({ data }) => isSame(data, entry));
      const data = { ...entry, thread: record.id };
      if (!same) effects.push({ kind: "create", resource, data, at: [field, index] });
      else if (field === "members") effects.push({ kind: "change", resource, id: same.id, data });
    }
  }
  return effects;
}

async function showParts(records: readonly RecordRow[], { read }: SerializeContext): Promise<Data[]> {
  const threads = records.map(({ id }) => id);
  const parts = await Promise.all(
    PARTS.map(async ({ field, resource }) => {
      const rows = await read.recordsWhere(resource.name, "thread", threads);
      return { field, rows: rows.map((row) => ({ of: row.data.thread, shown: toRecordDto(resource, "get", row) })) };
    }),
  );
  return threads.map((id) =>
    Object.fromEntries(
      parts.map(({ field, rows }) => [field, rows.filter(({ of }) => of === id).map(({ shown }) => shown)]),
    ),
  );
}
