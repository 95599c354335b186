import { defaulted, defineResource, referring, required, shownPatient, shownPractice } from "../schema";
import { document } from "../shapes";
import { reference, text, time, whole } from "../values";

/** A message of a conversation. */
export const threadMessages = defineResource({
  name: "thread_messages",
  title: "ThreadMessage",
  noun: "thread message",
  owner: { field: "thread" },
  operations: ["list", "create", "get", "delete"],
  fields: {
    body: required(text()),
    patient: shownPatient,
    practice: shownPractice,
    send_date: required(time),
    sender: referring(required(whole()), "users"),
    thread: referring(required(reference), "message_threads"),
    to_document: defaulted(document),
  },
  filters: ["patient", "practice", "sender", "thread"],
});
