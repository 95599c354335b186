import type { IncomingMessage, ServerResponse } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import { hasBody } from "./buffer-body";
import { Pace } from "./pace";
import { LINGER, PAGE_BODY_BYTES } from "./server-limits";

/** A response as plain data, before a Response is made of it. */
export interface PlainResponse {
  status: number;
  /** With names in lower case. */
  headers: Record<string, string>;
  body: string | Uint8Array | null;
}

/**
 * Defaults for every response that is not a page. The body is data: a browser that is led to open it as a page may not run, load or
 * frame anything.
 */
export const SECURITY_HEADERS: readonly (readonly [name: string, value: string])[] = [
  ["content-security-policy", "default-src 'none'; frame-ancestors 'none'"],
  ["strict-transport-security", "max-age=31536000"],
  ["x-content-type-options", "nosniff"],
  ["referrer-policy", "no-referrer"],
];

/** A body up to this size is sent in one write, and only `STALLED_MS` limits how long the client may take to read it. */
const SMALL_BYTES = 256 * 1024;
const SLICE_BYTES = 64 * 1024;

/**
 * Makes the Response. A client that reads a large body too slowly is disconnected. If much of the request's body is unread, the
 * connection ends with the response.
 *
 * @param node Node's messages, which are absent under `next dev`
 */
export function toResponse(response: PlainResponse, node?: HttpBindings): Response {
  const { status, headers, body } = secured(response);
  if (!node) return new Response(body as BodyInit | null, { status, headers });
  const closes = endsConnection(node.incoming, status);
  if (closes) node.outgoing.shouldKeepAlive = false;
  if (body === null || (body.length <= SMALL_BYTES && !closes)) {
    return new Response(body as BodyInit | null, { status, headers });
  }
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  return new Response(inSlices(bytes, node.outgoing, { lingers: closes }), {
    status,
    headers: { ...headers, "content-length": String(bytes.byteLength) },
  });
}

/** Sends a response without a Request, as `toResponse` does: to a request that is not for the API. */
export async function send(res: ServerResponse, response: PlainResponse): Promise<void> {
  const { status, headers, body } = secured(response);
  const closes = endsConnection(res.req, status);
  if (closes) res.shouldKeepAlive = false;
  res.writeHead(status, { ...headers, "content-length": String(Buffer.byteLength(body ?? "")) });
  if (closes) {
    res.write(body ?? "");
    await linger(res);
    res.end();
  } else {
    res.end(body);
  }
}

/** Adds the security headers a response does not set itself. Changes it in place: spreading two objects into one costs 2 µs. */
function secured(response: PlainResponse): PlainResponse {
  for (const [name, value] of SECURITY_HEADERS) response.headers[name] ??= value;
  return response;
}

/**
 * Whether the connection ends with the response, because much of the request's body is still to come and nobody will read it. Node
 * reads and discards a small rest. A client that was too slow is not waited for either.
 */
function endsConnection(incoming: IncomingMessage, status: number): boolean {
  if (incoming.complete || !hasBody(incoming)) return false;
  const { headers } = incoming;
  return status === 408 || "transfer-encoding" in headers || Number(headers["content-length"]) > PAGE_BODY_BYTES;
}

/**
 * Streams a body in slices, each when the client has taken the one before, and cuts the connection if it takes too long.
 *
 * @param options.lingers the stream ends after `linger`
 */
function inSlices(
  bytes: Uint8Array,
  outgoing: ServerResponse,
  options: { lingers: boolean },
): ReadableStream<Uint8Array> {
  const pace = new Pace();
  let sent = 0;
  let waitingFor = 0;
  let timer: NodeJS.Timeout | undefined;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        clearTimeout(timer);
        if (waitingFor > 0) pace.moved(waitingFor);
        const slice = bytes.subarray(sent, sent + SLICE_BYTES);
        if (slice.length > 0) {
          controller.enqueue(slice);
          sent += slice.length;
          waitingFor = slice.length;
          timer = setTimeout(() => outgoing.destroy(), pace.wait());
        } else {
          if (options.lingers) await linger(outgoing);
          controller.close();
        }
      },
      cancel() {
        clearTimeout(timer);
      },
    },
    { highWaterMark: 0 },
  );
}

/**
 * Waits until the client has stopped sending, or for `LINGER`, while it reads and discards a little of what the client sends. Closing
 * a socket with unread bytes resets the connection, and the response might never arrive.
 */
function linger(outgoing: ServerResponse): Promise<void> {
  const incoming = outgoing.req;
  // The headers of a response without a body are not sent yet.
  outgoing.flushHeaders();
  return new Promise((resolve) => {
    let left = LINGER.bytes;
    const done = () => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(done, LINGER.ms);
    incoming.on("data", (chunk: Buffer) => {
      left -= chunk.length;
      if (left < 0) incoming.pause();
    });
    incoming.once("end", done);
    incoming.once("close", done);
    outgoing.once("close", done);
    incoming.resume();
  });
}
