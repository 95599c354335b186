// Loads after its page.
import { pluralize } from "@/components/ui/format";
import type { RetryDialogText } from "@/components/ui/retry-text";

/** Retries sync events. */
export const retryDialog: RetryDialogText = {
  title: "Retry events?",
  titleMatching: "Retry all matching events?",
  description: "Each event is applied again, followed by the events waiting for it.",
  submit: (count) => `Retry ${pluralize(count, "event")}`,
  submitRest: (count) => `Retry the remaining ${pluralize(count, "event")}`,
  running: "Retrying",
  matching: (count) => (
    <>
      <strong>{pluralize(count, "event")}</strong> failed or {count === 1 ? "is" : "are"} waiting for another attempt.
    </>
  ),
  chosen: (count) => (
    <>
      <strong>{pluralize(count, "event")}</strong> selected. Events that were already applied are skipped.
    </>
  ),
  limit: (total, count) =>
    `${pluralize(total, "event")} match. The oldest ${count} are retried now. Repeat this for the rest.`,
  none: "Nothing to retry: no matching event has failed or is waiting for another attempt.",
  countFailed: "Couldn't count the events",
  counting: "Counting events…",
  stop: "Stop",
  progressLabel: "Retried",
  progress: (done, total) => `${done} of ${total} retried`,
  stopped: (done, total) => `Stopped after ${done} of ${total}`,
  stoppedByUser: (done, remaining) =>
    `The results of ${pluralize(done, "event")} are below. The other ${remaining} were not retried.`,
  offline: (done, remaining) =>
    `The server can't be reached. ${pluralize(done, "event")} below were retried. Retry the remaining ${remaining} when you are back online. Retrying an event twice is safe.`,
  failed: (message, done) => `${message} ${pluralize(done, "event")} below were retried.`,
  results: "Event results",
  moreResults: (count) => `And ${pluralize(count, "other event")}.`,
};
