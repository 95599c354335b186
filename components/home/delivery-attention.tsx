import { formatNumber, pluralize } from "@/components/ui/format";
import { Time } from "@/components/ui/time";
import type { PracticeDetail, PracticeHome } from "@/lib/api/home/queries";
import { parseUrl } from "@/lib/platform/parse-url";
import type { AttentionItem } from "./attention-list";

/** Changes are replicated within seconds. One that waits longer is late. */
const LATE_MS = 60_000;
/** Beyond this many, only a count is shown. */
const MAX_SUBSCRIPTIONS = 3;

/** Lists failed and late replication. */
export function replicationItems({ stream }: PracticeHome, base: string, now: string): AttentionItem[] {
  const found: AttentionItem[] = [];
  if (stream.failed > 0) {
    found.push({
      key: "stream-failed",
      kind: "failed",
      title: `${pluralize(stream.failed, "change")} failed to sync`,
      detail: "Policies and legacy records of these patients differ. Later changes to them are blocked.",
      action: { label: "Review changes", href: `${base}/stream?status=failed` },
    });
  }
  if (stream.oldest && Date.parse(now) - Date.parse(stream.oldest) > LATE_MS) {
    found.push({
      key: "stream-late",
      kind: "warning",
      title: `${pluralize(stream.pending, "change is", "changes are")} waiting to sync`,
      detail: (
        <>
          The oldest is from <Time value={stream.oldest} />. Changes normally sync within seconds.
        </>
      ),
      action: { label: "Open sync", href: `${base}/stream` },
    });
  }
  return found;
}

/** Events that were not delivered, or that a client rejected. */
export function eventItems(
  { undelivered_events: undelivered, rejected_events: rejected }: PracticeHome,
  base: string,
): AttentionItem[] {
  const found: AttentionItem[] = [];
  if (undelivered > 0) {
    found.push({
      key: "events-undelivered",
      kind: "failed",
      title: `${pluralize(undelivered, "event")} could not be delivered`,
      detail: "Every attempt failed for 72 hours. You can send them again.",
      action: { label: "Review and retry", href: `${base}/events?status=undelivered` },
    });
  }
  if (rejected > 0) {
    found.push({
      key: "events-rejected",
      kind: "warning",
      title: `${pluralize(rejected, "event was", "events were")} rejected by the client`,
      detail: "They were delivered, but the client reported an error. You can send them again.",
      action: { label: "Review events", href: `${base}/events?status=rejected` },
    });
  }
  return found;
}

/** Subscriptions that are paused or failing. */
export function subscriptionItems({ subscriptions }: PracticeDetail, base: string): AttentionItem[] {
  const action = { label: "Open subscriptions", href: `${base}/events/subscriptions` };
  if (subscriptions.length > MAX_SUBSCRIPTIONS) {
    const waiting = subscriptions.reduce((sum, { open }) => sum + open, 0);
    const title = `${formatNumber(subscriptions.length)} subscriptions are paused or failing`;
    return [{ key: "subscriptions", kind: "warning", title, detail: describeWaiting(waiting), action }];
  }
  return subscriptions.map(({ id, client_name, resource, target, paused_date, failing_since, open }): AttentionItem => {
    const since = paused_date ?? failing_since;
    return {
      key: `subscription-${id}`,
      kind: "warning",
      title: `Webhooks to ${formatHost(target)} ${paused_date ? "are paused" : "are failing"}`,
      detail: (
        <>
          {client_name}, {resource}
          {since && (
            <>
              , since <Time value={since} />
            </>
          )}
          . {describeWaiting(open)}
        </>
      ),
      action,
    };
  });
}

function describeWaiting(count: number): string {
  return count === 0 ? "No events are waiting." : `${pluralize(count, "event is", "events are")} waiting.`;
}

function formatHost(target: string): string {
  return parseUrl(target)?.host ?? target;
}
