import http from "node:http";
import { findUnanchored } from "@/lib/access/audit/anchors";
import { listUnsealed } from "@/lib/access/audit/chain-queries";
import { getDeliveryBacklog } from "@/lib/events/published/queries";
import { countSubscriptions } from "@/lib/events/subscriptions/queries";
import { getReplicationBacklog } from "@/lib/insurance/replication/staff-queries";
import { countRunsByState, findRunsAtWork } from "@/lib/migration/runs/queries";
import { clock } from "@/lib/platform/clock";
import { config, SettingsError } from "@/lib/platform/config";
import { isArchivingFailing } from "@/lib/platform/db/archiver";
import { listen, stopServer } from "@/lib/platform/http/server";
import type { Background } from "@/lib/platform/jobs/background";
import { log } from "@/lib/platform/log";
import { addGauge, renderMetrics } from "@/lib/platform/metrics";
import { processWide } from "@/lib/platform/objects";
import { readiness, readinessReply } from "@/lib/platform/readiness";
import { oneAtATime, reuseFor } from "@/lib/platform/within";

/** Shorter than Prometheus's default timeout of 10 s. */
const LIMIT_MS = 3_000;
/** Several Prometheus servers that scrape at about the same time share one read. */
const FRESH_MS = 2_000;
const GRACE_MS = 1_000;

/**
 * Serves the metrics and the probes of this process at METRICS_PORT, or does nothing if that is not set. Workers have no other port. Every
 * process also reports the backlog in the database, which is the same for all.
 *
 * @throws SettingsError if the port is in use
 */
export async function startMetrics(): Promise<Background> {
  const { METRICS_PORT: port, METRICS_HOST: host } = config();
  if (port === undefined) return { stop: async () => {} };
  processWide("crosswalkBacklogGauges", addBacklogGauges);
  const server = http.createServer((req, res) => void serve(req, res));
  await listen(server, { port, host }).catch((error: Error) => {
    throw new SettingsError([`METRICS_PORT ${port} can't be opened on ${host}: ${error.message}`]);
  });
  return { stop: () => stopServer(server, GRACE_MS) };
}

async function serve(req: http.IncomingMessage, res: http.ServerResponse): Promise<void> {
  const respondTo = PATHS.get(req.url?.split("?", 1)[0] ?? "");
  if (!respondTo) return respond(res, 404, `There are only ${[...PATHS.keys()].join(", ")}.\n`);
  if (req.method !== "GET" && req.method !== "HEAD")
    return respond(res, 405, "Only GET and HEAD.\n", { allow: "GET, HEAD" });
  await respondTo(res);
}

const PATHS = new Map<string, (res: http.ServerResponse) => Promise<void>>([
  ["/metrics", serveMetrics],
  ["/healthz", async (res) => respondJson(res, { status: 200, body: { status: "ok" } })],
  ["/readyz", async (res) => respondJson(res, await readinessReply())],
]);

async function serveMetrics(res: http.ServerResponse): Promise<void> {
  try {
    const { contentType, text } = await renderMetrics();
    respond(res, 200, text, { "content-type": contentType });
  } catch (error) {
    log.error({ err: error }, "metrics could not be read");
    respond(res, 500, "The metrics could not be read. See the log.\n");
  }
}

function respondJson(res: http.ServerResponse, { status, body }: { status: number; body: object }): void {
  respond(res, status, JSON.stringify(body), { "content-type": "application/json; charset=utf-8" });
}

function respond(res: http.ServerResponse, status: number, text: string, headers: Record<string, string> = {}): void {
  res.writeHead(status, { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store", ...headers });
  res.end(text);
}

type Backlog = Awaited<ReturnType<typeof readBacklog>>;

/** Reads the backlog of background work in all practices. This takes milliseconds, because it reads only open rows, by index. */
async function readBacklog() {
  const [replication, webhooks, subscriptions, runs, runsAtWork, unsealed, unanchored, archiving] = await Promise.all([
    getReplicationBacklog(),
    getDeliveryBacklog(),
    countSubscriptions(),
    countRunsByState(),
    findRunsAtWork(),
    listUnsealed(),
    findUnanchored(),
    isArchivingFailing(),
  ]);
  return { replication, webhooks, subscriptions, runs, runsAtWork, unsealed, unanchored, archiving };
}

/** Returns how many seconds ago the oldest of these times was, or 0 without one. */
function secondsSince(...times: readonly (string | null)[]): number {
  const now = clock.now().getTime();
  return Math.max(0, ...times.map((time) => (time === null ? 0 : (now - Date.parse(time)) / 1_000)));
}

/** Makes a function that reads the backlog once for all gauges. It returns null if the database does not respond in time. */
function createReader(): () => Promise<Backlog | null> {
  const readInTime = oneAtATime(readBacklog, LIMIT_MS);
  let isFailing = false;
  return reuseFor(FRESH_MS, async () => {
    const backlog = await readInTime().catch((error: unknown) => {
      if (!isFailing) log.warn({ err: error }, "the backlog could not be read for the metrics");
      return null;
    });
    isFailing = backlog === null;
    return backlog;
  });
}

type Labels = Record<string, string>;
type Values = readonly (readonly [value: number, labels?: Labels])[];

/** Adds the gauges of the backlog. While the database does not respond, they are absent rather than stale. */
function addBacklogGauges(): () => Promise<Backlog | null> {
  const read = createReader();
  const add = (name: string, help: string, labels: readonly string[], values: (backlog: Backlog) => Values) =>
    addGauge({
      name,
      help,
      labelNames: labels,
      async collect() {
        const backlog = await read();
        this.reset();
        if (labels.length === 0) this.remove();
        for (const [value, own = {}] of backlog ? values(backlog) : []) this.set(own, value);
      },
    });
  addGauge({
    name: "crosswalk_ready",
    help: "Whether this process can serve requests, as /readyz says",
    async collect() {
      this.set((await readiness()).isReady ? 1 : 0);
    },
  });
  addGauge({
    name: "crosswalk_image_store_available",
    help: "Whether this process can reach the image store and read it",
    async collect() {
      this.set((await readiness()).checks.image_store === "ok" ? 1 : 0);
    },
  });
  addGauge({
    name: "crosswalk_database_state_known",
    help: "Whether the database responded with the backlog",
    async collect() {
      this.set((await read()) ? 1 : 0);
    },
  });
  add("crosswalk_replication_events", "Changes that are not replicated yet", ["status"], ({ replication }) => [
    [replication.pending, { status: "pending" }],
    [replication.failed, { status: "failed" }],
  ]);
  add("crosswalk_replication_lag_seconds", "Age of the oldest pending change", [], ({ replication }) => [
    [secondsSince(replication.oldest_pending)],
  ]);
  add("crosswalk_webhook_events", "Webhook events that are not sent yet", ["state"], ({ webhooks }) =>
    (["due", "sending", "waiting", "paused"] as const).map((state) => [webhooks[state], { state }]),
  );
  add(
    "crosswalk_webhook_lag_seconds",
    "Time since the oldest sendable webhook event became due",
    [],
    ({ webhooks }) => [[secondsSince(webhooks.due_since)]],
  );
  add("crosswalk_webhook_subscriptions", "Webhook subscriptions", ["state"], ({ subscriptions }) =>
    (["active", "failing", "paused"] as const).map((state) => [subscriptions[state], { state }]),
  );
  add(
    "crosswalk_webhook_last_pause_timestamp_seconds",
    "When the last of the paused subscriptions was paused",
    [],
    ({ subscriptions: { last_pause } }) => (last_pause === null ? [] : [[Date.parse(last_pause) / 1_000]]),
  );
  add("crosswalk_migration_runs", "Migration runs", ["state"], ({ runs }) =>
    runs.map(({ state, count }) => [count, { state }]),
  );
  add(
    "crosswalk_migration_lag_seconds",
    "Time since the slowest migration run at work made progress",
    [],
    (backlog) => [[secondsSince(...backlog.runsAtWork.map(({ changed_date }) => changed_date))]],
  );
  add("crosswalk_migration_last_failure_timestamp_seconds", "When a migration run last failed", [], ({ runs }) =>
    runs.filter(({ state }) => state === "failed").map(({ latest }) => [Date.parse(latest) / 1_000]),
  );
  add("crosswalk_audit_unsealed_entries", "Audit entries that are not sealed yet", [], ({ unsealed }) => [
    [unsealed.reduce((total, { entries }) => total + entries, 0)],
  ]);
  add("crosswalk_audit_lag_seconds", "Age of the oldest audit entry that is not sealed yet", [], ({ unsealed }) => [
    [secondsSince(...unsealed.map(({ since }) => since))],
  ]);
  add("crosswalk_audit_anchor_lag_seconds", "Age of the oldest audit block without an anchor", [], ({ unanchored }) =>
    unanchored === null ? [] : [[secondsSince(unanchored.since)]],
  );
  add("crosswalk_database_archiving_fails", "Whether PostgreSQL can't archive its log", [], ({ archiving }) =>
    archiving === null ? [] : [[archiving ? 1 : 0]],
  );
  return read;
}
