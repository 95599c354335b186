import { Time } from "@/components/ui/time";
import type { PracticeDetail, PracticeHome } from "@/lib/api/home/queries";
import { parseUrl } from "@/lib/platform/parse-url";
import type { AttentionItem } from "./attention-list";
import { eventItems as eventText, syncItems as syncText, subscriptionItems as text } from "./messages/attention";

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
      title: syncText.failed(stream.failed),
      detail: syncText.failedDetail,
      action: { label: syncText.review, href: `${base}/stream?status=failed` },
    });
  }
  if (stream.oldest && Date.parse(now) - Date.parse(stream.oldest) > LATE_MS) {
    found.push({
      key: "stream-late",
      kind: "warning",
      title: syncText.late(stream.pending),
      detail: syncText.lateDetail(<Time value={stream.oldest} />),
      action: { label: syncText.open, href: `${base}/stream` },
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
      title: eventText.undelivered(undelivered),
      detail: eventText.undeliveredDetail,
      action: { label: eventText.retry, href: `${base}/events?status=undelivered` },
    });
  }
  if (rejected > 0) {
    found.push({
      key: "events-rejected",
      kind: "warning",
      title: eventText.rejected(rejected),
      detail: eventText.rejectedDetail,
      action: { label: eventText.review, href: `${base}/events?status=rejected` },
    });
  }
  return found;
}

/** Subscriptions that are paused or failing. */
export function subscriptionItems({ subscriptions }: PracticeDetail, base: string): AttentionItem[] {
  const action = { label: text.open, href: `${base}/events/subscriptions` };
  if (subscriptions.length > MAX_SUBSCRIPTIONS) {
    const waiting = subscriptions.reduce((sum, { open }) => sum + open, 0);
    const title = text.many(subscriptions.length);
    return [{ key: "subscriptions", kind: "warning", title, detail: text.waiting(waiting), action }];
  }
  return subscriptions.map(({ id, client_name, resource, target, paused_date, failing_since, open }): AttentionItem => {
    const since = paused_date ?? failing_since;
    return {
      key: `subscription-${id}`,
      kind: "warning",
      title: paused_date ? text.paused(formatHost(target)) : text.failing(formatHost(target)),
      detail: text.detail(client_name, resource, text.waiting(open), since && <Time value={since} exact />),
      action,
    };
  });
}

function formatHost(target: string): string {
  return parseUrl(target)?.host ?? target;
}
