// npm run webhooks -- status | attempts | retry | resume: shows the state of deliveries and retries failed ones.

import { systemOrigin } from "@/lib/access/identity/access";
import { retryEvents } from "@/lib/events/published/commands";
import { listAttempts } from "@/lib/events/published/staff-queries";
import { resumeSubscription } from "@/lib/events/subscriptions/commands";
import { listSubscriptionHealth } from "@/lib/events/subscriptions/staff-queries";
import { timeParam } from "@/lib/platform/http/query";
import { readCommand, readId, runProgram, UsageError, type Values } from "./lib/command-line";

const USAGE = `Usage:
  npm run webhooks -- status
  npm run webhooks -- attempts EVENT_ID
  npm run webhooks -- retry EVENT_ID …
  npm run webhooks -- retry --failed-since TIME [--subscription ID]
  npm run webhooks -- resume SUBSCRIPTION_ID [--reason TEXT]`;

const COMMAND_LINE = {
  usage: USAGE,
  options: { "failed-since": { type: "string" }, subscription: { type: "string" }, reason: { type: "string" } },
  commands: {
    status: {},
    attempts: { words: 1 },
    retry: { options: ["failed-since", "subscription"], words: Number.POSITIVE_INFINITY },
    resume: { options: ["reason"], words: 1 },
  },
} as const;
type Given = Values<typeof COMMAND_LINE.options>;

async function main(): Promise<number> {
  const { command, words, values } = readCommand(COMMAND_LINE);
  if (command === "status") return printStatus();
  if (command === "attempts") return printAttempts(readId(words[0], "EVENT_ID"));
  if (command === "retry") return retry(words, values);
  const reason = values.reason ? { reason: values.reason } : {};
  const origin = systemOrigin({ name: "Command line", source: "staff", operation: "subscriptions.resume", ...reason });
  await resumeSubscription(readId(words[0], "SUBSCRIPTION_ID"), origin);
  return print("Resumed. Waiting events will be delivered.");
}

async function retry(words: readonly string[], values: Given): Promise<number> {
  const { "failed-since": failedSince, subscription } = values;
  if ((failedSince === undefined) === (words.length === 0))
    throw new UsageError(`Either EVENT_ID or --failed-since is required. ${USAGE}`);
  if (failedSince === undefined) {
    if (subscription !== undefined) throw new UsageError(`--subscription requires --failed-since. ${USAGE}`);
    return retryEach(new Set(words.map((word) => readId(word, "EVENT_ID"))));
  }
  const since = timeParam({ zone: "required" }).safeParse(failedSince);
  if (!since.success) {
    throw new UsageError("--failed-since must be an ISO 8601 time with a zone, such as 2026-11-20T08:00:00Z");
  }
  const which = subscription === undefined ? {} : { subscriptionId: readId(subscription, "--subscription") };
  return printRetried(await retryEvents("every practice", { failedSince: since.data, ...which }));
}

/** @returns the exit code: 1 if one of them can't be retried */
async function retryEach(eventIds: ReadonlySet<number>): Promise<number> {
  const left: number[] = [];
  for (const id of eventIds) if ((await retryEvents("every practice", { eventIds: [id] })) === 0) left.push(id);
  for (const id of left) print(`✗ ${id}: no failed event with this ID, or its subscription was deleted.`);
  printRetried(eventIds.size - left.length);
  return left.length > 0 ? 1 : 0;
}

const printRetried = (count: number) => print(`${count} ${count === 1 ? "event" : "events"} will be retried.`);

async function printStatus(): Promise<number> {
  const subscriptions = await listSubscriptionHealth();
  for (const { id, client_name, resource, target, failing_since, paused_date, open, failed } of subscriptions) {
    const state = paused_date
      ? `PAUSED since ${paused_date}`
      : failing_since
        ? `failing since ${failing_since}`
        : "healthy";
    print(`${id}  ${client_name}  ${resource}  ${target}\n    ${state}; ${open} pending, ${failed} failed`);
  }
  return subscriptions.length === 0 ? print("There are no subscriptions.") : 0;
}

async function printAttempts(eventId: number): Promise<number> {
  const attempts = await listAttempts(eventId);
  for (const { number, started_date, duration_ms, status_code, error } of attempts) {
    const outcome = duration_ms === null && !error ? "in progress" : (error ?? `HTTP ${status_code}`);
    print(`${number}  ${started_date}  ${duration_ms ?? "-"} ms  ${outcome}`);
  }
  return attempts.length === 0 ? print("No attempts for an event with this ID.") : 0;
}

function print(text: string): number {
  process.stdout.write(`${text}\n`);
  return 0;
}

await runProgram(main);
