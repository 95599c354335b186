import { ValidationError } from "@/lib/platform/errors";
import {
  defaulted,
  integer,
  readOnlyPatientColumn,
  readOnlyPracticeColumn,
  reference,
  refersTo,
  required,
  text,
  time,
} from "@/lib/records/engine/fields";
import { defineResource } from "@/lib/records/engine/schema";
import { document, MAX_THREAD_CHARACTERS } from "@/lib/records/rules/nested-schemas";

/** A message in a conversation. */
export const threadMessages = defineResource({
  name: "thread_messages",
  title: "ThreadMessage",
  noun: "thread message",
  owner: { field: "thread" },
  operations: ["list", "create", "get", "delete"],
  fields: {
    body: required(text()),
    patient: readOnlyPatientColumn,
    practice: readOnlyPracticeColumn,
    send_date: required(time),
    sender: refersTo(required(integer()), "users"),
    thread: refersTo(required(reference), "message_threads"),
    to_document: defaulted(document),
  },
  filters: ["patient", "practice", "sender", "thread"],
  beforeWrite: async ({ data, resource, reader }) => {
    const size = await reader.sizeWhere(resource, "thread", data.thread);
    if (size + JSON.stringify(data).length <= MAX_THREAD_CHARACTERS) return data;
    throw new ValidationError({ thread: ["Is full: its messages have a million characters. Start another thread."] });
  },
});
