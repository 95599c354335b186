import type { ReactNode } from "react";
import { pluralize } from "@/components/ui/format";

/** The list of sync events. */
export const syncPage = {
  title: "Sync",
  meta: "Keeps policies and legacy records in sync.",
  table: "Sync events",
  empty: "No sync events yet",
  emptyHelp: "Each insurance change creates one event.",
  all: "Retry all",
  allMatching: "Retry all matching",
  selected: "Retry selected",
};

export const syncColumn = {
  event: "Event",
  patient: "Patient",
  patientLink: (id: number) => `Patient ${id}`,
  direction: "Direction",
  /** `direction` is from `DIRECTIONS`. */
  change: (direction: string, kind: "create" | "update" | "delete") => `${direction}, ${CHANGE_WORDS[kind]}`,
  status: "Status",
  reason: "Error",
  changedBy: "Changed by",
  attempts: "Attempts",
  time: "Time",
};

/** What an event does with a policy or legacy record, within a phrase. */
const CHANGE_WORDS = { create: "added", update: "changed", delete: "archived" };

/** The store that was changed (`from`) and the store that the change is applied to (`to`). */
export const DIRECTIONS = {
  policies_to_patients: { short: "Policies to legacy", from: "policies", to: "legacy records" },
  patients_to_policies: { short: "Legacy to policies", from: "legacy records", to: "policies" },
} as const;

export const syncStatus = {
  failed: "Failed",
  applied: "Applied",
  discarded: "Discarded",
  /** Waits for an older event of the same patient. */
  blocked: "Blocked",
  retrying: "Retrying",
  pending: "Pending",
};

export const syncFilters = {
  label: "Filter sync events",
  names: { status: "Status", direction: "Direction", patient: "Patient", from: "From", to: "Before" },
  statuses: {
    open: "pending or failed",
    pending: "pending",
    failed: "failed",
    acknowledged: "applied",
    discarded: "discarded",
  },
};

/** The figures above the list. */
export const syncHealth = {
  oldest: "Oldest pending change",
  none: "None",
  pending: "Pending",
  failed: "Failed",
  seconds: (count: number) => `${count} s`,
  minutes: (count: number) => `${count} min`,
  hours: (count: number) => `${count} h`,
  days: (count: number) => pluralize(count, "day"),
};

/** The page of a sync event. `from` and `to` are those of `DIRECTIONS`. */
export const syncEventPage = {
  meta: { title: "Sync event" },
  title: (id: number) => `Sync event ${id}`,
  subtitle: (from: string, to: string, time: ReactNode) => (
    <>
      From {from} to {to}, {time}
    </>
  ),
  openPatient: "Open patient",
  discard: "Discard event",
  failed: "Failed. Not retried automatically.",
  attemptFailed: "The last attempt failed",
  failedHelp: (to: string) =>
    `Until you retry or discard this event, the ${to} of this patient are out of date and can't be edited.`,
  blocked: "Blocked by an older event of this patient",
  blockedLink: "Show this patient's open events",
  status: "Status",
  changedBy: "Changed by",
  operation: "Operation",
  reason: "Reason",
  attempts: "Attempts",
  nextAttempt: "Next attempt",
  applied: "Applied",
  discarded: "Discarded",
  notYet: "Not yet",
  none: "None",
  behind: "Waiting events",
  behindCount: (count: number) => pluralize(count, "event"),
  changes: "Changes",
};

/** The changes of a sync event. */
export const syncChanges = {
  deleted: "Not available: the policy was permanently deleted.",
  kinds: {
    create: "Added",
    update: "Changed",
    delete: "Archived",
    remove: "Permanently deleted",
    deactivate_all: "All insurance archived",
    identity: "Patient renamed",
    cards: "Card images changed",
  } as Record<string, string>,
  policy: (kind: string, id: number | string) => `${kind}: policy ${id}`,
  insurance: (kind: string, id: number | string) => `${kind}: legacy record ${id}`,
};

/** The button that retries one event, and its result. `result` is one of `retryResults`. */
export const retryButton = {
  text: "Retry",
  label: (id: number) => `Retry event ${id}`,
  done: (id: number, result: string) => `Event ${id}: ${result}`,
  unexpected: "Something went wrong. Nothing was changed.",
};

/** Ends an error of the server with a period if it has none. */
const endSentence = (error: string) => (/[.!?]$/.test(error) ? error : `${error}.`);

/** The result of retrying an event. */
export const retryResults = {
  applied: "Applied",
  discarded: "Skipped: it was discarded",
  failed: (error: string | null) =>
    error === null
      ? "Failed again. Open the event to see the cause."
      : `Failed again: ${endSentence(error)} Fix the cause, then retry.`,
  willRetry: (error: string) => `Failed again: ${endSentence(error)} It will be retried automatically.`,
  queued: "Queued for another attempt",
  skipped: (message: string) => `Skipped: ${message}`,
};

/** Discards a failed event. `from` and `to` are those of `DIRECTIONS`. */
export const discardDialog = {
  title: (id: number) => `Discard event ${id}?`,
  description: "It will not be retried. This can't be undone.",
  submit: "Discard event",
  failed: "The event was not discarded",
  kept: (from: string) => `The ${from} of this patient stay as they are now.`,
  updated: (to: string) => `The ${to} are updated to match them. You are recorded as the author.`,
  behind: (count: number) =>
    count === 0
      ? "No other events are waiting for this one."
      : `${pluralize(count, "event")} waiting for this one will be applied in the same step.`,
  ifFailed: (to: string) => `If the ${to} can't be updated, nothing changes and you see why.`,
  reasonHelp: "Saved in the audit log.",
  done: (id: number, from: string, to: string) => `Event ${id} discarded. The ${to} now match the ${from}.`,
  doneWithOthers: (id: number, from: string, to: string, others: number) =>
    `Event ${id} discarded. The ${to} now match the ${from}. ${pluralize(others, "waiting event")} resumed.`,
};
