import { mintAccess, systemOrigin } from "@/lib/access/identity/access";
import { type FailingSubscription, listFailingSubscriptions } from "@/lib/events/subscriptions/staff-queries";
import { listRunsToReview } from "@/lib/migration/runs/queries";
import { clock, daysAgo } from "@/lib/platform/clock";
import { parseUrl } from "@/lib/platform/parse-url";
import { listDeadlines } from "@/lib/practice/practices/queries";

/** A condition that admins of a practice should know about. Contains no patient data, because email and chat are outside our control. */
export interface AlertCondition {
  practiceId: number;
  /** The same each time this condition is found, and different for any other. */
  dedupe_key: string;
  subject: string;
  text: string;
  /** The page to open, below the public URL. */
  path: string;
}

const ORIGIN = systemOrigin({ name: "Alerts", source: "api", operation: "alerts.find" });
const DAY_MS = 86_400_000;
/** Days before the deadline. */
const DEADLINE_DAYS = [1, 7, 30];
/** Older runs are skipped, so that turning alerts on doesn't report them. */
const REVIEW_DAYS = 7;

/** Finds the conditions of all practices: failing subscriptions, runs to review and near deadlines. */
export async function findConditions(): Promise<AlertCondition[]> {
  const practices = await listDeadlines();
  const names = new Map(practices.map(({ id, name }) => [id, name]));
  const nameOf = (id: number) => names.get(id) ?? `practice ${id}`;
  const access = mintAccess({ practices: practices.map(({ id }) => id), actor: ORIGIN.actor });
  const subscriptions = await listFailingSubscriptions(access);
  const runs = await listRunsToReview(daysAgo(REVIEW_DAYS));
  return [
    ...subscriptions.map((subscription) => describeSubscription(subscription, nameOf(subscription.practice_id))),
    ...runs.map(({ id, practice_id }) => describeRun(id, practice_id, nameOf(practice_id))),
    ...practices.flatMap(describeDeadline),
  ];
}

function describeSubscription(subscription: FailingSubscription, practice: string): AlertCondition {
  const { id, practice_id, client_name, resource, target, paused_date, failing_since } = subscription;
  // The rest of the URL can contain secrets.
  const host = parseUrl(target)?.host ?? "an endpoint";
  const state = paused_date ? "paused" : "failing";
  const since = (paused_date ?? failing_since ?? "").slice(0, 16).replace("T", " ");
  const effect = paused_date
    ? "Events wait until an admin resumes the subscription."
    : "Crosswalk keeps trying, and pauses the subscription after five days.";
  return {
    practiceId: practice_id,
    dedupe_key: `subscription ${id} ${state} ${paused_date ?? failing_since}`,
    subject: `${practice}: webhooks to ${host} are ${state}`,
    text: `Webhooks of ${client_name} (${resource}) to ${host} have been ${state} since ${since} UTC. ${effect}`,
    path: `/practices/${practice_id}/events/subscriptions`,
  };
}

function describeRun(id: number, practiceId: number, practice: string): AlertCondition {
  return {
    practiceId,
    dedupe_key: `run ${id} checked`,
    subject: `${practice}: migration run ${id} is ready for review`,
    text: `Migration run ${id} has been checked. Review its findings, then convert it.`,
    path: `/practices/${practiceId}/migration/${id}`,
  };
}

function describeDeadline({ id, name, deprecation_date: date }: Awaited<ReturnType<typeof listDeadlines>>[number]) {
  const today = Date.parse(clock.now().toISOString().slice(0, 10));
  const days = Math.round((Date.parse(date) - today) / DAY_MS);
  const reached = DEADLINE_DAYS.find((limit) => days <= limit);
  if (days < 0 || reached === undefined) return [];
  const when = days === 0 ? "today" : days === 1 ? "tomorrow" : `in ${days} days`;
  return [
    {
      practiceId: id,
      dedupe_key: `deadline ${date} ${reached}`,
      subject: `${name}: legacy insurance is deprecated ${when}`,
      text: `The deprecation date of legacy insurance is ${date}, ${when}. Check which clients and patients are not ready.`,
      path: `/practices/${id}/migration/readiness`,
    },
  ];
}
