import { ValidationError } from "@/lib/platform/errors";
import { reference, text, time, whole } from "@/lib/records/engine/field-types";
import {
  type Data,
  defaulted,
  defineResource,
  readOnlyPatientColumn,
  readOnlyPracticeColumn,
  refersTo,
  required,
  type Write,
} from "@/lib/records/engine/schema";
import { document, LARGEST_THREAD } from "@/lib/records/rules/nested-schemas";

/** A message of a conversation. */
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
    sender: refersTo(required(whole()), "users"),
    thread: refersTo(required(reference), "message_threads"),
    to_document: defaulted(document),
  },
  filters: ["patient", "practice", "sender", "thread"],
  beforeWrite: fitThread,
});

/** @throws ValidationError where the thread has no room for another message */
async function fitThread({ data, read }: Write): Promise<Data> {
  const size = await read.sizeWhere("thread_messages", "thread", data.thread as number);
  if (size + JSON.stringify(data).length <= LARGEST_THREAD) return data;
  throw new ValidationError({ thread: ["Is full: its messages have a million characters. Start another thread."] });
}
