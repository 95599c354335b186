import type { ReactNode } from "react";
import { formatNumber, pluralize } from "@/components/ui/format";

export const attentionList = {
  title: "Needs attention",
  none: "Nothing needs attention.",
  count: (count: number) => `${pluralize(count, "item needs", "items need")} attention.`,
  kinds: { failed: "Failed", warning: "Warning", pending: "Pending" },
};

export const syncItems = {
  failed: (count: number) => `${pluralize(count, "sync event")} failed`,
  failedDetail: "The policies and legacy records of these patients differ. Later changes to them are blocked.",
  review: "Review sync events",
  late: (count: number) => `${pluralize(count, "sync event is", "sync events are")} waiting`,
  lateDetail: (oldest: ReactNode): ReactNode => <>The oldest is from {oldest}. Sync normally takes seconds.</>,
  open: "Open sync",
};

export const eventItems = {
  undelivered: (count: number) => `${pluralize(count, "event")} couldn't be delivered`,
  undeliveredDetail: "All attempts failed for 72 hours. You can send them again.",
  retry: "Review and send again",
  rejected: (count: number) => `${pluralize(count, "event was", "events were")} rejected by the client`,
  rejectedDetail: "They were delivered, but the client reported an error. You can send them again.",
  review: "Review events",
};

export const subscriptionItems = {
  open: "Open subscriptions",
  many: (count: number) => `${formatNumber(count)} subscriptions are paused or failing`,
  paused: (host: string) => `Webhooks to ${host} are paused`,
  failing: (host: string) => `Webhooks to ${host} are failing`,
  detail: (client: string, resource: string, waiting: string, since: ReactNode): ReactNode => (
    <>
      {client}, {resource}
      {since && <>, since {since}</>}. {waiting}
    </>
  ),
  waiting: (count: number) =>
    count === 0 ? "No events are waiting." : `${pluralize(count, "event is", "events are")} waiting.`,
};

export const deadlineItems = {
  open: "Open deadline settings",
  rehearsal: "Rehearsal in progress",
  rehearsalDetail: (day: ReactNode): ReactNode => <>This practice's rules apply as of {day}.</>,
  passed: "The deadline has passed but is not enforced",
  passedDetail: (day: ReactNode): ReactNode => (
    <>The deadline was {day}. Legacy insurance is still returned and accepted.</>
  ),
};

export const legacyItems = {
  writes: (count: number) => `${pluralize(count, "legacy write")} in the last 7 days`,
  client: (name: string, writes: number) => `${name} (${formatNumber(writes)})`,
  clients: (names: readonly string[], more: number) =>
    more > 0 ? `${names.join(", ")} and ${more} more` : names.join(", "),
  ended: (clients: string) => `${clients}. Writes that contain insurance have been rejected since the deadline.`,
  notMigrated: (clients: string, count: number) =>
    `${clients}. ${count === 1 ? "This client hasn't" : "These clients haven't"} migrated yet.`,
  show: "Show legacy use",
};

/** Says when the earliest assigned finding is due. */
export const dueOn = (day: ReactNode): ReactNode => <>Due {day}</>;

/** Says for which practice and time the overview holds. */
export const overviewAsOf = (practice: string, time: ReactNode): ReactNode => (
  <>
    {practice}, as of {time}
  </>
);

/** Counts the pending sync events. `oldest` is the time of the oldest. */
export const pendingEvents = (count: number, oldest: ReactNode): ReactNode =>
  oldest ? (
    <>
      {formatNumber(count)} pending, oldest {oldest}
    </>
  ) : (
    <>{formatNumber(count)} pending</>
  );
