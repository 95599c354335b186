import type { ReactNode } from "react";

/** The words of a list of events for the action that repeats them: sent again, or retried. */
export interface RetryText {
  all: string;
  allMatching: string;
  selected: string;
}

/** The words of the dialog that repeats events. */
export interface RetryDialogText {
  title: string;
  titleMatching: string;
  description: string;
  submit: (count: number) => string;
  submitRest: (count: number) => string;
  running: string;
  /** Says how many events match the filter, or are selected. */
  matching: (count: number) => ReactNode;
  chosen: (count: number) => ReactNode;
  /** Added if more events match than one dialog repeats. */
  limit: (total: number, count: number) => string;
  none: string;
  countFailed: string;
  counting: string;
  stop: string;
  progressLabel: string;
  progress: (done: number, total: number) => string;
  stopped: (done: number, total: number) => string;
  stoppedByUser: (done: number, remaining: number) => string;
  offline: (done: number, remaining: number) => string;
  failed: (message: string, done: number) => string;
  results: string;
  moreResults: (count: number) => string;
}
