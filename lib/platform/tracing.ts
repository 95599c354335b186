import type { IncomingMessage, ServerResponse } from "node:http";
import {
  type Attributes,
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { config } from "@/lib/platform/config";
import type { Background } from "@/lib/platform/jobs/background";
import { log } from "@/lib/platform/log";
import { property } from "@/lib/platform/objects";
import { within } from "@/lib/platform/within";

// Spans hold names from the code, IDs and statements without their values, but no messages of errors, paths or queries.

interface Tracing {
  tracer: Tracer;
  /** Returns a context in which no spans are made. */
  suppress: (context: Context) => Context;
}

/** Set while traces are on. */
let tracing: Tracing | undefined;

const STOP_MS = 3_000;
const WARN_MS = 60_000;
/** Statements for whole batches can have several kilobytes. */
const MAX_STATEMENT = 2_000;

/**
 * Sends traces to the collector at OTEL_EXPORTER_OTLP_TRACES_ENDPOINT or OTEL_EXPORTER_OTLP_ENDPOINT, or does nothing if neither is set. The
 * SDK reads these and the other variables that OpenTelemetry defines, such as OTEL_EXPORTER_OTLP_HEADERS and OTEL_TRACES_SAMPLER.
 */
export async function startTracing(serviceName: string): Promise<Background> {
  const { OTEL_SERVICE_NAME: chosenName, ...settings } = config();
  const endpoint = settings.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? settings.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (endpoint === undefined) return { stop: async () => {} };
  // Loaded only if it is used, because it takes 0.3 s and 24 MiB.
  const { NodeSDK, core, resources } = await import("@opentelemetry/sdk-node");
  const sdk = new NodeSDK({
    serviceName: chosenName ?? serviceName,
    resourceDetectors: [resources.envDetector, resources.hostDetector],
    // Not baggage, which would take data of one client to the webhooks of another.
    textMapPropagator: new core.W3CTraceContextPropagator(),
    // Metrics are at /metrics, and logs on standard output.
    metricReaders: [],
    logRecordProcessors: [],
  });
  core.setGlobalErrorHandler(warnNowAndThen());
  sdk.start();
  tracing = { tracer: trace.getTracer("crosswalk"), suppress: core.suppressTracing };
  return {
    async stop() {
      tracing = undefined;
      await within(sdk.shutdown(), STOP_MS);
      for (const api of [trace, context, propagation]) api.disable();
    },
  };
}

/** Returns a handler of errors of the SDK. Without a collector, there would be one every few seconds. */
function warnNowAndThen(): (error: unknown) => void {
  let warned = Number.NEGATIVE_INFINITY;
  return (error) => {
    if (performance.now() - warned < WARN_MS) return;
    warned = performance.now();
    log.warn({ err: error }, "traces were not sent; check the URL of the collector");
  };
}

interface SpanDeclaration {
  name: string;
  kind?: SpanKind;
  attributes?: Attributes;
  /** The `traceparent` of the request that caused this work, if it was stored. Default: the current span. */
  parent?: string | null | undefined;
}

/** Runs `work` in a span, which fails if `work` throws. Without tracing, it only runs `work`. */
export function inSpan<T>({ name, parent, ...options }: SpanDeclaration, work: () => Promise<T>): Promise<T> {
  if (!tracing) return work();
  const from = parent ? propagation.extract(ROOT_CONTEXT, { traceparent: parent }) : context.active();
  return tracing.tracer.startActiveSpan(name, options, from, async (span) => {
    try {
      return await work();
    } catch (error) {
      failSpan(errorType(error));
      throw error;
    } finally {
      span.end();
    }
  });
}

/** Runs `work` without creating spans in it: there would be too many, or other code would put patient data into them. */
export function withoutSpans<T>(work: () => Promise<T>): Promise<T> {
  return tracing ? context.with(tracing.suppress(context.active()), work) : work();
}

/** Runs a statement in a span, if it belongs to a request or job that is traced. `text` has placeholders for all values. */
export function traceStatement<T>(text: string, work: () => Promise<T>): Promise<T> {
  if (!tracing || !trace.getActiveSpan()?.isRecording()) return work();
  const trimmed = text.trimStart();
  const operation = /^\w+/.exec(trimmed)?.[0].toUpperCase() ?? "statement";
  const attributes = { "db.system.name": "postgresql", "db.query.text": trimmed.slice(0, MAX_STATEMENT) };
  return inSpan({ name: operation, kind: SpanKind.CLIENT, attributes }, work);
}

/** Handles a request in a span that ends with the response. It continues the trace of a client that sends `traceparent`. */
export function traceRequest(
  { method, headers }: IncomingMessage,
  res: ServerResponse,
  name: string,
  work: () => Promise<void>,
): Promise<void> {
  if (!tracing) return work();
  const parent = propagation.extract(ROOT_CONTEXT, headers);
  const attributes = { "http.request.method": method ?? "" };
  const span = tracing.tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parent);
  res.once("close", () => {
    span.setAttribute("http.response.status_code", res.statusCode);
    if (res.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  });
  return context.with(trace.setSpan(parent, span), work);
}

/** Names the span of the current request after its operation, as metrics and logs do. */
export function nameRequest(operation: string, requestId: string): void {
  if (!tracing) return;
  const span = trace.getActiveSpan();
  span?.updateName(operation);
  span?.setAttribute("crosswalk.request_id", requestId);
}

/** Adds attributes to the current span. */
export function describeSpan(attributes: Attributes): void {
  if (tracing) trace.getActiveSpan()?.setAttributes(attributes);
}

/** Marks the current span as failed. */
export function failSpan(type: string): void {
  if (!tracing) return;
  const span = trace.getActiveSpan();
  span?.setAttribute("error.type", type);
  span?.setStatus({ code: SpanStatusCode.ERROR });
}

/** Returns the code of an error of PostgreSQL or Node.js, or the class of any other. Messages can quote data of patients. */
function errorType(error: unknown): string {
  const code = property(error, "code");
  if (typeof code === "string") return code;
  return error instanceof Error ? error.constructor.name : typeof error;
}

/** Returns the current span as W3C Trace Context (`traceparent`), to store it with work for later or to send it on. */
export function currentTraceparent(): { traceparent?: string } {
  const span = tracing && trace.getActiveSpan()?.spanContext();
  if (!span) return {};
  return { traceparent: `00-${span.traceId}-${span.spanId}-0${span.traceFlags & 1}` };
}
