import type { ReactNode } from "react";
import { formatNumber, pluralize } from "./format";

/** Lists and tables on any page. */
export const table = {
  /** Heading of the column of buttons, for screen readers only. */
  actions: "Actions",
  selectPage: "Select all on this page",
  /** `row` names a row: `event 12`. */
  selectRow: (row: string) => `Select ${row}`,
  clearSelection: "Clear selection",
};

/** The inputs that narrow a list, and their chips. */
export const filters = {
  /** The option that turns a filter off. `label` is the filter's name: `Status`. */
  any: (label: string) => `${label}: any`,
  remove: "Remove this filter",
  clear: "Clear filters",
};

/** Moving between the pages of a list. `noun` is what the list shows, in the plural: `patients`. */
export const pager = {
  label: (noun: string) => `Pages of ${noun}`,
  /** `isMore` if the list has more rows than `count`. */
  position: (first: number, last: number, count: number, isMore: boolean) =>
    `${formatNumber(first)}–${formatNumber(last)} of ${formatNumber(count)}${isMore ? "+" : ""}`,
  previous: "Previous",
  next: "Next",
  outOfRange: "This page is past the end of the list",
  total: (count: number, noun: string) => `The list has only ${formatNumber(count)} ${noun}.`,
  toFirst: "Go to the first page",
};

/** A list that could not be loaded or refreshed. */
export const listErrors = {
  notRefreshed: "Couldn't refresh the list",
  notLoaded: "Couldn't load the list",
  retry: "Try again",
  reset: "Clear filters and show the first page",
};

/** The state of a list that refreshes by itself. */
export const liveList = {
  upToDate: "Up to date",
  offline: "Not up to date: can't reach the server.",
  retrying: "Not up to date: can't reach the server. Trying again.",
  newEvents: (count: number) => pluralize(count, "new event"),
  showNewEvents: (count: number) => `Show ${pluralize(count, "new event")}`,
};

/** Lists of events, published or synced. */
export const eventList = {
  noun: "events",
  /** Names a row for screen readers, within a sentence. */
  row: (id: number) => `event ${id}`,
  selection: "Selected events",
  selected: (count: number) => `${pluralize(count, "event")} selected`,
  noMatch: "No events match these filters",
  noMatchHelp: "Clear a filter or choose a longer time range.",
};

/** Fields of any form. */
export const field = {
  /** Follows the label. */
  required: "(required)",
  reason: "Reason",
  reasonHelp: "Optional. Saved in the version history.",
  practices: "Practices",
  openCalendar: "Open calendar",
  datePlaceholder: "mm/dd/yyyy",
  /** `phrase` is a command in capitals, the same in every language: `ROLL BACK`. */
  confirm: (phrase: string) => `Type ${phrase} to confirm`,
};

/** Dialogs of any kind. */
export const dialog = {
  close: "Close",
  cancel: "Cancel",
  nothingChanged: "Nothing was changed",
  reasonHelp: "Optional. Saved with the change.",
};

/** Shows a password or secret once. */
export const secretDialog = {
  isStored: "I have stored it",
  isStoredHelp: "You won't be able to see it again.",
  done: "Done",
};

/** Asks before the user leaves a page with unsaved changes. */
export const leaveDialog = {
  title: "Leave without saving?",
  /** `what` is the start of a sentence: `3 changes`. */
  description: (what: string) => `${what} will be lost. This can't be undone.`,
  stay: "Stay here",
  leave: "Discard changes and leave",
};

/** Copies an identifier. `label` names it within a sentence: `member ID`. */
export const copy = {
  button: (label: string) => `Copy ${label}`,
  done: (label: string) => `Copied ${label}`,
};

/** Messages in the corner of the page. */
export const toast = {
  /** The accessible name of a message. */
  label: "Notification",
  undo: "Undo",
  dismiss: "Dismiss",
};

/** Frames of pages. */
export const page = {
  breadcrumb: "Breadcrumb",
  downloadFailed: (message: string) => `Download failed. ${message}`,
  unexpected: "Something went wrong.",
  /** On printed pages. */
  printed: (time: ReactNode) => <>Printed {time}</>,
  printedWith: (title: string, time: ReactNode) => (
    <>
      {title}. Printed {time}
    </>
  ),
};

/** The filter by time, and its dialog that picks days. */
export const timeFilter = {
  label: "Time",
  any: "Any time",
  /** Shown while a range is set. */
  custom: "Custom range",
  lastHour: "Last hour",
  lastDay: "Last 24 hours",
  lastWeek: "Last 7 days",
  choose: "Choose days…",
  title: "Choose days",
  description: (zone: string) => `Days in the ${zone} time zone. Leave a day blank for no limit.`,
  first: "First day",
  last: "Last day",
  reversed: "The last day is before the first day",
  submit: "Show these days",
};

/** Times that are less than a day away. */
export const relativeTime = {
  now: "just now",
  minutes: (count: number) => `${count} min`,
  hours: (count: number) => `${count} h`,
  /** `amount` is from `minutes` or `hours`. */
  past: (amount: string) => `${amount} ago`,
  future: (amount: string) => `in ${amount}`,
};

/** Tooltip of a time: in the practice's time zone, then in UTC. */
export const exactTime = (local: string, utc: string) => `${local} · ${utc} UTC`;
