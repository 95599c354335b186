import type { PracticeDetail, PracticeHome } from "@/lib/api/home/queries";
import type { AttentionItem } from "./attention-list";
import { eventItems, replicationItems, subscriptionItems } from "./delivery-attention";
import { deadlineItems, legacyUseItems } from "./legacy-attention";

/** Lists what needs attention in a practice, most urgent first. */
export function listAttention(detail: PracticeDetail): AttentionItem[] {
  const { practice } = detail;
  const base = `/practices/${practice.id}`;
  const items = [
    ...replicationItems(practice, base, detail.checked_date),
    ...eventItems(practice, base),
    ...subscriptionItems(detail, base),
    ...deadlineItems(practice, base),
    ...legacyUseItems(practice, detail.clients),
  ];
  const byUrgency = ["failed", "warning", "pending"];
  return items.sort((one, other) => byUrgency.indexOf(one.kind) - byUrgency.indexOf(other.kind));
}

/** Counts the kinds of problems in another practice, without fetching its details. */
export function countProblems({ stream, ...practice }: PracticeHome): number {
  const { undelivered_events, rejected_events, paused_subscriptions, failing_subscriptions } = practice;
  return [stream.failed, undelivered_events, rejected_events, paused_subscriptions, failing_subscriptions].filter(
    (count) => count > 0,
  ).length;
}
