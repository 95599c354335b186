import { Counter, collectDefaultMetrics, Gauge, type GaugeConfiguration, Histogram, Registry } from "prom-client";
import { config } from "@/lib/platform/config";
import { openPools } from "@/lib/platform/db/pool";
import { processWide } from "@/lib/platform/objects";

// Metrics hold no data of practices: labels are names from the code, such as operations and states.

interface Metrics {
  registry: Registry;
  requests: Histogram<"operation" | "status">;
  attempts: Histogram<"outcome">;
  givenUpEvents: Counter;
  failedStoreOperations: Counter<"operation">;
  replicaReads: Counter<"outcome">;
  failedAlerts: Counter<"channel">;
  background: Gauge;
}

/** Seconds. A webhook has up to ten seconds to respond. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Returns the metrics of this process, created on first use. */
function metrics(): Metrics {
  return processWide("crosswalkMetrics", createMetrics);
}

function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  // Memory, CPU, garbage collection and the delay of the event loop.
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: "crosswalk_database_pool_connections",
    help: "Open connections of this process to the database",
    labelNames: ["server", "state"],
    registers,
    collect() {
      this.reset();
      for (const { server, pool } of openPools()) {
        this.set({ server, state: "used" }, pool.totalCount - pool.idleCount);
        this.set({ server, state: "idle" }, pool.idleCount);
      }
    },
  });
  new Gauge({
    name: "crosswalk_database_pool_waiting",
    help: "Requests and jobs of this process that wait for a connection to the database",
    labelNames: ["server"],
    registers,
    collect() {
      this.reset();
      for (const { server, pool } of openPools()) this.set({ server }, pool.waitingCount);
    },
  });
  const failedAlerts = new Counter({
    name: "crosswalk_alerts_failed_total",
    help: "Attempts to send an alert to admins that failed, by channel",
    labelNames: ["channel"],
    registers,
  });
  const attempts = new Histogram({
    name: "crosswalk_webhook_attempt_duration_seconds",
    help: "Time of attempts to send a webhook, by outcome",
    labelNames: ["outcome"],
    buckets: BUCKETS,
    registers,
  });
  const failedStoreOperations = new Counter({
    name: "crosswalk_image_store_failures_total",
    help: "Operations of the image store that failed, such as storing an image",
    labelNames: ["operation"],
    registers,
  });
  // Prometheus only sees an increase if it has seen the value before.
  for (const channel of ["email", "webhook"]) failedAlerts.inc({ channel }, 0);
  for (const outcome of ["delivered", "failed", "not_sent"]) attempts.zero({ outcome });
  for (const operation of ["put", "get", "delete", "list"]) failedStoreOperations.inc({ operation }, 0);
  return {
    registry,
    requests: new Histogram({
      name: "crosswalk_request_duration_seconds",
      help: "Time from the headers of a request to its response, by operation and HTTP status",
      labelNames: ["operation", "status"],
      buckets: BUCKETS,
      registers,
    }),
    attempts,
    givenUpEvents: new Counter({
      name: "crosswalk_webhook_events_given_up_total",
      help: "Webhook events that are not sent again, because all attempts failed for 72 hours",
      registers,
    }),
    failedStoreOperations,
    replicaReads: new Counter({
      name: "crosswalk_replica_reads_total",
      help: "Requests that may read from the replica: those that did, and why others read from the primary",
      labelNames: ["outcome"],
      registers,
    }),
    failedAlerts,
    background: new Gauge({
      name: "crosswalk_background_work",
      help: "Whether this process does the background work: workers do, and servers with STREAM_CONSUMER=inline",
      registers,
    }),
  };
}

/**
 * Counts a response. Does nothing unless METRICS_PORT is set.
 *
 * @param operation the name of a declared operation; `page` or `file` for what Next serves; `unknown` for a path or method that does
 *   not exist
 */
export function observeRequest(operation: string, status: number, ms: number): void {
  if (isOn()) metrics().requests.observe({ operation, status }, ms / 1_000);
}

/**
 * Counts an attempt to send a webhook. Does nothing unless METRICS_PORT is set.
 *
 * @param outcome `not_sent` if the receiver is not to blame, because the webhook could not be prepared
 */
export function observeAttempt(outcome: "delivered" | "failed" | "not_sent", ms: number): void {
  if (isOn()) metrics().attempts.observe({ outcome }, ms / 1_000);
}

/** Counts webhook events that are not sent again. Does nothing unless METRICS_PORT is set. */
export function observeGivenUp(events: number): void {
  if (isOn()) metrics().givenUpEvents.inc(events);
}

/** Counts a failed operation of the image store. Does nothing unless METRICS_PORT is set. */
export function observeStoreFailure(operation: string): void {
  if (isOn()) metrics().failedStoreOperations.inc({ operation });
}

/**
 * Counts a request that may read from the replica. Does nothing unless METRICS_PORT is set.
 *
 * @param outcome `replica`, or why the primary was read
 */
export function observeReplicaRead(outcome: string): void {
  if (isOn()) metrics().replicaReads.inc({ outcome });
}

/** Counts a failed attempt to send an alert. Does nothing unless METRICS_PORT is set. */
export function observeFailedAlert(channel: "email" | "webhook"): void {
  if (isOn()) metrics().failedAlerts.inc({ channel });
}

/** Reports whether this process does the background work. Does nothing unless METRICS_PORT is set. */
export function reportBackground(isRunning: boolean): void {
  if (isOn()) metrics().background.set(isRunning ? 1 : 0);
}

const isOn = () => config().METRICS_PORT !== undefined;

/** Adds a gauge, which is set whenever the metrics are read. */
export function addGauge<Label extends string>(gauge: Omit<GaugeConfiguration<Label>, "registers">): void {
  new Gauge({ ...gauge, registers: [metrics().registry] });
}

/** Returns all metrics in the text format of Prometheus. */
export async function renderMetrics(): Promise<{ contentType: string; text: string }> {
  const { registry } = metrics();
  return { contentType: registry.contentType, text: await registry.metrics() };
}
