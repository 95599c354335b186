// Dialogs that load after their page.
import { pluralize } from "@/components/ui/format";
import type { RetryDialogText } from "@/components/ui/retry-text";

/** Marks an event as processed on behalf of its client. */
export const reportDialog = {
  title: (id: number) => `Record the result of event ${id}?`,
  description:
    "Use this if the client can't report the result itself. If you leave the error blank, the event is not sent again. A later report from the client replaces yours.",
  submit: "Save result",
  failed: "The event was not changed",
  processed: "Processed at",
  processedHelp: (zone: string) => `In the practice's time zone (${zone}).`,
  statusCode: "Status code",
  statusCodeHelp: "Optional. For example, 200.",
  error: "Error",
  errorHelp: "Leave blank if processing succeeded. An event with an error counts as failed.",
  reasonHelp: "Optional. Saved in the event's history.",
};

/** Sends events again. */
export const sendAgainDialog: RetryDialogText = {
  title: "Send events again?",
  titleMatching: "Send all matching events again?",
  description:
    "Each event is sent to its endpoint again, with the current record. Clients recognize a repeated event by its ID.",
  submit: (count) => (count === 1 ? "Send 1 event again" : `Send ${pluralize(count, "event")} again`),
  submitRest: (count) => `Send the remaining ${pluralize(count, "event")} again`,
  running: "Sending",
  matching: (count) => (
    <>
      <strong>{pluralize(count, "event")}</strong> failed or {count === 1 ? "is" : "are"} waiting for another attempt.
    </>
  ),
  chosen: (count) => (
    <>
      <strong>{pluralize(count, "event")}</strong> selected. Processed events are skipped.
    </>
  ),
  limit: (total, count) =>
    `${pluralize(total, "event")} match. The oldest ${count} are sent now. Repeat this for the rest.`,
  none: "Nothing to send: no matching event is undelivered, rejected by its client or waiting for another attempt.",
  countFailed: "Couldn't count the events",
  counting: "Counting events…",
  stop: "Stop",
  progressLabel: "Sent again",
  progress: (done, total) => `${done} of ${total} sent again`,
  stopped: (done, total) => `Stopped after ${done} of ${total}`,
  stoppedByUser: (done, remaining) =>
    `The results of ${pluralize(done, "event")} are below. The other ${remaining} were not sent again.`,
  offline: (done, remaining) =>
    `The server can't be reached. ${pluralize(done, "event")} below were sent again. Send the remaining ${remaining} when you are back online. Sending an event twice is safe.`,
  failed: (message, done) => `${message} ${pluralize(done, "event")} below were sent again.`,
  results: "Event results",
  moreResults: (count) => `And ${pluralize(count, "other event")}.`,
};

/** The result of sending one event again. */
export const sendAgainResults = {
  queued: "Will be sent now",
  paused: "Will be sent when its subscription is resumed",
  sending: "Skipped: an attempt is in progress",
  delivered: "Skipped: delivered and not rejected by its client",
  canceled: "Skipped: its subscription has ended",
  absent: "No longer exists",
};
