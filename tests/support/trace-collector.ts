// Receives traces as an OpenTelemetry collector does (OTLP over HTTP, as JSON).
import { startReceiver } from "./webhook-receivers";

export interface ReceivedSpan {
  service: string;
  name: string;
  /** 2 for a server, 3 for a client. */
  kind: number;
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  attributes: Record<string, unknown>;
  /** 2 if it failed. */
  status: number;
}

interface Attribute {
  key: string;
  value: Record<string, unknown>;
}

/** The parts of an ExportTraceServiceRequest that tests read. */
interface Export {
  resourceSpans: {
    resource: { attributes: Attribute[] };
    scopeSpans: { spans: (Omit<ReceivedSpan, "service" | "attributes" | "status"> & Sent)[] }[];
  }[];
}
interface Sent {
  attributes: Attribute[];
  status: { code: number };
}

export interface TraceCollector {
  /** The settings of a process that sends its traces here at once. */
  settings: Record<string, string>;
  spans: () => ReceivedSpan[];
  /** Everything that was received, as text. */
  text: () => string;
}

/** Starts a collector. `stopReceivers` stops it. */
export async function startTraceCollector(): Promise<TraceCollector> {
  const { port, requests } = await startReceiver((_request, response) =>
    response.writeHead(200, { "content-type": "application/json" }).end("{}"),
  );
  return {
    settings: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_BSP_SCHEDULE_DELAY: "50",
    },
    spans: () => requests.filter(({ url }) => url === "/v1/traces").flatMap(({ body }) => spansOf(JSON.parse(body))),
    text: () => requests.map(({ body, headers }) => `${JSON.stringify(headers)}\n${body}`).join("\n"),
  };
}

function spansOf({ resourceSpans }: Export): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ attributes, status, ...span }) => ({
        ...span,
        service: String(toObject(resource.attributes)["service.name"]),
        attributes: toObject(attributes),
        status: status.code,
      })),
    ),
  );
}

function toObject(attributes: readonly Attribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
