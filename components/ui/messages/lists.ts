import { formatNumber, pluralize } from "../format";

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
  upToDate: "No new events",
  offline: "Not up to date: the server can't be reached.",
  retrying: "Not up to date: the server can't be reached. Trying again.",
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
  reversed: "The last day is before the first day.",
  submit: "Show these days",
};
