import type { ReactNode } from "react";
import { formatNumber, pluralize } from "@/components/ui/format";
import type { StatusKind } from "@/components/ui/status";
import { Day, Time } from "@/components/ui/time";
import type { PracticeDetail, PracticeHome } from "@/lib/api/home/queries";
import { parseUrl } from "@/lib/platform/parse-url";
import type { LegacyClient } from "@/lib/practice/practices/usage-queries";

/** Something that waits for somebody, with where to act on it. */
export interface Attention {
  key: string;
  kind: Extract<StatusKind, "failed" | "warning" | "pending">;
  title: ReactNode;
  detail: ReactNode;
  action: { label: string; href: string };
}

/** A change that waits longer than this is late: one is delivered within seconds. */
const LATE_MS = 60_000;
/** From so many days before the date on, clients that still write the legacy way are in a hurry. */
const CLOSE_DAYS = 60;
/** More than these are told as a number. */
const MOST_NAMES = 3;

/** What of a practice needs somebody now, the worst first. */
export function attentionOf(detail: PracticeDetail): Attention[] {
  const { practice } = detail;
  const base = `/practices/${practice.id}`;
  const all = [
    ...ofStream(practice, base, detail.checked_date),
    ...ofEvents(practice, base),
    ...ofSubscriptions(detail, base),
    ...ofDeadline(practice, base),
    ...ofLegacyUse(practice, detail.clients),
  ];
  const worst = ["failed", "warning", "pending"];
  return all.sort((one, other) => worst.indexOf(one.kind) - worst.indexOf(other.kind));
}

/** How many things of another practice need somebody: what its row can tell without looking closer. */
export function troublesOf({ stream, ...practice }: PracticeHome): number {
  const { undelivered_events, rejected_events, paused_subscriptions, failing_subscriptions } = practice;
  return [stream.failed, undelivered_events, rejected_events, paused_subscriptions, failing_subscriptions].filter(
    (count) => count > 0,
  ).length;
}

function ofStream({ stream }: PracticeHome, base: string, now: string): Attention[] {
  const found: Attention[] = [];
  if (stream.failed > 0) {
    found.push({
      key: "stream-failed",
      kind: "failed",
      title: `${pluralize(stream.failed, "change")} did not reach the other side`,
      detail: "Policies and legacy insurances of these patients differ. Later changes of theirs wait behind.",
      action: { label: "Review changes", href: `${base}/stream?status=failed` },
    });
  }
  if (stream.oldest && Date.parse(now) - Date.parse(stream.oldest) > LATE_MS) {
    found.push({
      key: "stream-late",
      kind: "warning",
      title: `${pluralize(stream.pending, "change waits", "changes wait")} in the stream`,
      detail: (
        <>
          The oldest was made <Time value={stream.oldest} />; a change takes seconds.
        </>
      ),
      action: { label: "See the stream", href: `${base}/stream` },
    });
  }
  return found;
}

function ofEvents(
  { undelivered_events: undelivered, rejected_events: rejected }: PracticeHome,
  base: string,
): Attention[] {
  const found: Attention[] = [];
  if (undelivered > 0) {
    found.push({
      key: "events-undelivered",
      kind: "failed",
      title: `${pluralize(undelivered, "event")} could not be delivered`,
      detail: "Every attempt failed for 72 hours. They can be sent again.",
      action: { label: "Review and retry", href: `${base}/events?status=undelivered` },
    });
  }
  if (rejected > 0) {
    found.push({
      key: "events-rejected",
      kind: "warning",
      title: `${pluralize(rejected, "event was", "events were")} rejected by the client`,
      detail: "They were delivered, and the client reported an error.",
      action: { label: "Review events", href: `${base}/events?status=rejected` },
    });
  }
  return found;
}

function ofSubscriptions({ subscriptions }: PracticeDetail, base: string): Attention[] {
  const action = { label: "See subscriptions", href: `${base}/events/subscriptions` };
  if (subscriptions.length > MOST_NAMES) {
    const waiting = subscriptions.reduce((sum, { open }) => sum + open, 0);
    const title = `${formatNumber(subscriptions.length)} subscriptions are paused or fail`;
    return [{ key: "subscriptions", kind: "warning", title, detail: waitingEvents(waiting), action }];
  }
  return subscriptions.map(({ id, client_name, resource, target, paused_date, failing_since, open }): Attention => {
    const since = paused_date ?? failing_since;
    return {
      key: `subscription-${id}`,
      kind: "warning",
      title: `Webhooks to ${hostOf(target)} ${paused_date ? "are paused" : "fail"}`,
      detail: (
        <>
          {client_name}, {resource}
          {since && (
            <>
              , since <Time value={since} />
            </>
          )}
          . {waitingEvents(open)}
        </>
      ),
      action,
    };
  });
}

function waitingEvents(count: number): string {
  return count === 0 ? "No event waits." : `${pluralize(count, "event waits", "events wait")}.`;
}

function ofDeadline({ deadline }: PracticeHome, base: string): Attention[] {
  const found: Attention[] = [];
  const action = { label: "See the deadline", href: `${base}/settings` };
  if (deadline.rehearsal) {
    found.push({
      key: "rehearsal",
      kind: "pending",
      title: "A rehearsal is on",
      detail: (
        <>
          The rules of this practice take it to be <Day value={deadline.rehearsal} />.
        </>
      ),
      action,
    });
  }
  if (deadline.days < 0 && !deadline.has_ended) {
    found.push({
      key: "deadline",
      kind: "warning",
      title: "The deprecation date has passed and is not enforced",
      detail: (
        <>
          It was <Day value={deadline.date} />. Legacy insurances are still shown and taken.
        </>
      ),
      action,
    });
  }
  return found;
}

function ofLegacyUse({ deadline, legacy }: PracticeHome, clients: readonly LegacyClient[]): Attention[] {
  if (legacy.writes === 0) return [];
  const writers = clients.filter(({ writes }) => writes > 0);
  const names = writers.slice(0, MOST_NAMES).map(({ name, writes }) => `${name} (${formatNumber(writes)})`);
  const more = writers.length - names.length;
  return [
    {
      key: "legacy-writes",
      kind: deadline.has_ended ? "failed" : deadline.days <= CLOSE_DAYS ? "warning" : "pending",
      title: `${pluralize(legacy.writes, "legacy write")} in the last 7 days`,
      detail: `${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}. ${
        deadline.has_ended ? "Writes with insurances are refused since the date." : "These clients have still to move."
      }`,
      action: { label: "See legacy use", href: "#legacy-use" },
    },
  ];
}

function hostOf(target: string): string {
  return parseUrl(target)?.host ?? target;
}
