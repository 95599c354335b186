// npm run webhooks -- status | attempts | retry | resume: how deliveries stand, and what failed once more.
import { parseArgs } from "node:util";
import { closePool } from "@/lib/db/pool";
import { DomainError } from "@/lib/errors";
import { resumeSubscription } from "@/lib/events/commands/pause-subscription";
import { retryEvents } from "@/lib/events/commands/retry-events";
import { listAttempts, listSubscriptionHealth } from "@/lib/events/delivery-queries";
import { systemOrigin } from "@/lib/history/origin";
import { timeParam } from "@/lib/http/query";

const USAGE = `Usage:
  npm run webhooks -- status
  npm run webhooks -- attempts EVENT_ID
  npm run webhooks -- retry EVENT_ID …
  npm run webhooks -- retry --failed-since TIME [--subscription ID]
  npm run webhooks -- resume SUBSCRIPTION_ID [--reason TEXT]`;

/** What the user has to put right: exit code 2. */
class UsageError extends Error {}

const OPTIONS = {
  "failed-since": { type: "string" },
  subscription: { type: "string" },
  reason: { type: "string" },
} as const;

function readOptions() {
  try {
    return parseArgs({ options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new UsageError(`${(error as Error).message.split(". ")[0]}.\n${USAGE}`);
  }
}

function toId(text: string | undefined, name: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text ?? "")) throw new UsageError(`${name} must be a whole number.\n${USAGE}`);
  return Number(text);
}

async function main(): Promise<void> {
  const { positionals, values } = readOptions();
  const [command, ...ids] = positionals;
  if (command === "status") return printStatus();
  if (command === "attempts") return printAttempts(toId(ids[0], "EVENT_ID"));
  if (command === "retry") return retry(ids, values);
  if (command !== "resume") throw new UsageError(USAGE);
  const reason = values.reason ? { reason: values.reason } : {};
  const origin = systemOrigin({ name: "Command line", source: "staff", operation: "subscriptions.resume", ...reason });
  await resumeSubscription(toId(ids[0], "SUBSCRIPTION_ID"), origin);
  process.stdout.write("Resumed: what waited is delivered from now on.\n");
}

async function retry(ids: string[], values: ReturnType<typeof readOptions>["values"]): Promise<void> {
  const { "failed-since": failedSince, subscription } = values;
  if ((failedSince === undefined) === (ids.length === 0)) throw new UsageError(`Name events, or a time.\n${USAGE}`);
  if (failedSince !== undefined && !timeParam({ zone: "required" }).safeParse(failedSince).success) {
    throw new UsageError("--failed-since must be an ISO 8601 time with a zone, such as 2026-11-20T08:00:00Z");
  }
  const which = subscription === undefined ? {} : { subscriptionId: toId(subscription, "--subscription") };
  const choice =
    failedSince === undefined ? { eventIds: ids.map((id) => toId(id, "EVENT_ID")) } : { failedSince, ...which };
  const count = await retryEvents("every practice", choice);
  process.stdout.write(`${count} ${count === 1 ? "event is" : "events are"} delivered again.\n`);
}

async function printStatus(): Promise<void> {
  const subscriptions = await listSubscriptionHealth();
  for (const { id, client_name, resource, target, failing_since, paused_date, open, failed } of subscriptions) {
    const trouble = paused_date
      ? `PAUSED since ${paused_date}`
      : failing_since
        ? `failing since ${failing_since}`
        : "well";
    process.stdout.write(
      `${id}  ${client_name}  ${resource}  ${target}\n    ${trouble}; ${open} open, ${failed} given up\n`,
    );
  }
  if (subscriptions.length === 0) process.stdout.write("There are no subscriptions.\n");
}

async function printAttempts(eventId: number): Promise<void> {
  const attempts = await listAttempts(eventId);
  for (const { number, started_date, duration_ms, status_code, error } of attempts) {
    const outcome = duration_ms === null && !error ? "under way" : (error ?? `HTTP ${status_code}`);
    process.stdout.write(`${number}  ${started_date}  ${duration_ms ?? "-"} ms  ${outcome}\n`);
  }
  if (attempts.length === 0) process.stdout.write("No attempt has been made for an event of this id.\n");
}

try {
  await main();
} catch (error) {
  process.exitCode = error instanceof UsageError || error instanceof DomainError ? 2 : 1;
  console.error(`✗ ${(error as Error).message}`);
} finally {
  await closePool();
}
