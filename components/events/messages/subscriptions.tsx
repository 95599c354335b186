import type { ReactNode } from "react";
import { formatNumber, pluralize } from "@/components/ui/format";

/** The list of subscriptions. */
export const subscriptionsPage = {
  /** The page above this one. */
  events: "Events",
  title: "Subscriptions",
  outOfDate: "Couldn't refresh the list",
  empty: "No subscriptions yet",
  /** `request` is an API request. */
  emptyHelp: (request: ReactNode) => (
    <>
      Clients subscribe through the API ({request}). A client is notified of each change to the records it subscribes
      to.
    </>
  ),
  request: "POST subscriptions",
  resumed: (client: string) => `Subscription of ${client} resumed`,
  replayed: (events: number) => `${pluralize(events, "event")} will be sent again`,
};

export const subscriptionColumn = {
  client: "Client",
  records: "Records",
  endpoint: "Endpoint",
  delivery: "Delivery",
  waiting: "Waiting",
  undelivered: "Undelivered",
  /** The records of a subscription. */
  resources: {
    patients: "Patients",
    practices: "Practices",
    physicians: "Physicians",
    insurance_companies: "Payers",
    insurance_plans: "Plans",
  } as Record<string, string>,
};

/** Counts of events in a subscription's row; on a phone in one line. */
export const subscriptionCounts = {
  number: (count: number) => formatNumber(count),
  waiting: (count: number) => `${formatNumber(count)} waiting`,
  undelivered: (count: number) => `${formatNumber(count)} undelivered`,
  both: (waiting: ReactNode, undelivered: ReactNode) => (
    <>
      {waiting}, {undelivered}
    </>
  ),
};

export const subscriptionState = {
  active: "Active",
  paused: (since: ReactNode) => <>Paused since {since}</>,
  failing: (since: ReactNode) => <>Failing since {since}</>,
  resume: "Resume",
  resumeLabel: (client: string) => `Resume subscription of ${client}`,
  elsewhere: "Shared with other practices. Only an admin of all of them can resume it.",
};

/** Actions on a subscription in its row. */
export const subscriptionMenu = {
  label: (client: string) => `More actions for the subscription of ${client}`,
  test: "Send test event",
  replay: "Replay events",
  rotate: "Rotate signing secret",
};

export const resumeDialog = {
  title: (client: string) => `Resume subscription of ${client}?`,
  description: (waiting: number, target: string) =>
    `${pluralize(waiting, "waiting event")} of this practice will be sent to ${target} now and retried for up to 72 hours. Waiting events of your other practices that this client has access to will be sent too.`,
  submit: "Resume subscription",
  failed: "The subscription was not resumed",
  reasonHelp: "For example: the client's server is back online. Saved in the history.",
};
