import type { IncomingMessage, ServerResponse } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import type { ErrorCode } from "@/lib/platform/errors";
import { hasBody, LINGER, PAGE_BODY_BYTES, Pace } from "./server-limits";

/** Media type of files that keep the type they were uploaded with. */
export const ANY_TYPE = "*/*";

/** What a handler returns. `renderReply` creates the response from it. */
export interface Reply<T = unknown> {
  body?: T;
  /** A body that is already JSON. */
  text?: string;
  /** The same, compressed for clients that accept gzip. */
  gzipped?: Uint8Array;
  /** Overrides the status that the endpoint declares. */
  status?: number;
  headers?: Record<string, string>;
  /** IDs of the patients whose data it holds, because each read is audited. Default: the patient in the path. */
  patients?: readonly number[];
  /** Practices whose records hold personal data but name no patient, such as incoming faxes. Audited, too. */
  unnamed?: readonly number[];
  /** A text file to download, instead of a body. */
  download?: { filename: string; contentType: string; content: string };
  /** Any other file, instead of a body. */
  file?: ReplyFile;
  /** The bytes of a card image, instead of a body. */
  image?: Uint8Array;
}

/** A file as a response. */
export interface ReplyFile {
  bytes: Uint8Array;
  contentType: string;
  /** Without a folder. Any characters are allowed. */
  filename: string;
  /** Browsers show the file instead of downloading it, if they can. */
  inline?: boolean;
}

/** HTTP statuses of domain errors. */
export const ERROR_STATUS: Record<ErrorCode, number> = {
  validation_failed: 400,
  invalid_request: 400,
  not_signed_in: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  gone: 410,
  version_conflict: 412,
  request_timeout: 408,
  payload_too_large: 413,
  unsupported_media_type: 415,
  business_rule: 422,
  version_required: 428,
  rate_limited: 429,
  // Only logged, because the client is gone.
  client_left: 499,
  overloaded: 503,
  unavailable: 503,
};

/** The content security policy of files. A browser that shows one treats it as a page without an origin. */
const FILE_POLICY = "default-src 'none'; frame-ancestors 'none'; sandbox";

const JSON_TYPE = "application/json; charset=utf-8";

/** Renders a reply. `status` is the one that the endpoint declares, and the reply can override it. */
export function renderReply(reply: Reply, status: number): PlainResponse {
  if (reply.image) return imageResponse(reply.image);
  if (reply.file) return fileResponse(reply.file);
  if (reply.download) return downloadResponse(reply.download);
  if (reply.gzipped) return gzippedResponse(reply.gzipped, reply.headers);
  if (reply.text !== undefined) return jsonTextResponse(reply.status ?? status, reply.text, reply.headers);
  return jsonResponse(reply.status ?? status, reply.body, reply.headers);
}

/** Builds a JSON response. Caches must not store it, because almost all responses contain patient data. */
export function jsonResponse(status: number, body: unknown, headers: Record<string, string> = {}): PlainResponse {
  if (status === 204 || status === 304 || body === undefined) {
    return { status, headers: { "cache-control": "no-store", ...headers }, body: null };
  }
  return jsonTextResponse(status, JSON.stringify(body), headers);
}

/** Builds a response from text that is already JSON. */
function jsonTextResponse(status: number, text: string, headers: Record<string, string> = {}): PlainResponse {
  return { status, headers: { "content-type": JSON_TYPE, "cache-control": "no-store", ...headers }, body: text };
}

/** Builds a response from compressed JSON. */
function gzippedResponse(bytes: Uint8Array, headers: Record<string, string> = {}): PlainResponse {
  return {
    status: 200,
    headers: {
      "content-type": JSON_TYPE,
      "content-encoding": "gzip",
      "content-length": String(bytes.byteLength),
      "cache-control": "no-store",
      ...headers,
    },
    body: bytes,
  };
}

/** Builds a response that browsers save under this filename. */
function downloadResponse({ filename, contentType, content }: NonNullable<Reply["download"]>): PlainResponse {
  return {
    status: 200,
    headers: {
      "content-type": contentType,
      "content-disposition": `attachment; filename="${filename.replace(/[^\w.-]+/g, "-")}"`,
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
    },
    body: content,
  };
}

/** Builds the response of a file. Browsers don't guess its type, run nothing in it, and keep no copy. */
export function fileResponse({ bytes, contentType, filename, inline }: ReplyFile): PlainResponse {
  return {
    status: 200,
    headers: {
      "content-type": contentType,
      "content-length": String(bytes.byteLength),
      "content-disposition": contentDisposition(filename, inline ?? false),
      "content-security-policy": FILE_POLICY,
      "x-content-type-options": "nosniff",
      "cache-control": "private, no-store",
    },
    body: bytes,
  };
}

/** Builds Content-Disposition (RFC 6266) with an ASCII name and, if it differs, the real one (RFC 8187). */
function contentDisposition(filename: string, inline: boolean): string {
  const name = filename.toWellFormed();
  const plain = name.replace(/[^\w.() -]+/g, "-");
  const kind = `${inline ? "inline" : "attachment"}; filename="${plain}"`;
  if (plain === name) return kind;
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${kind}; filename*=UTF-8''${encoded}`;
}

/** Builds the response of a card image. The first byte tells JPEG from PNG. Browsers show it but run and keep nothing. */
function imageResponse(bytes: Uint8Array): PlainResponse {
  return {
    status: 200,
    headers: {
      "content-type": bytes[0] === 0xff ? "image/jpeg" : "image/png",
      "content-disposition": "inline",
      "content-security-policy": FILE_POLICY,
      "x-content-type-options": "nosniff",
      "cache-control": "private, no-store",
    },
    body: bytes,
  };
}

/** A response as plain data, before it becomes a Response. */
export interface PlainResponse {
  status: number;
  /** With names in lower case. */
  headers: Record<string, string>;
  body: string | Uint8Array | null;
}

/**
 * Defaults for every response that is not a page. If a browser is tricked into opening the body as a page, it
 * may not run, load or frame anything.
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

/** Sends a response to a request that never became a `Request`, because it is not for the API. */
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
 * Returns whether to close the connection after the response, because much of the request's body is unread. Node reads and discards a
 * small rest. The connection of a client that was too slow is closed, too.
 */
function endsConnection(incoming: IncomingMessage, status: number): boolean {
  if (incoming.complete || !hasBody(incoming)) return false;
  const { headers } = incoming;
  return status === 408 || "transfer-encoding" in headers || Number(headers["content-length"]) > PAGE_BODY_BYTES;
}

/**
 * Streams a body in slices, one after another as the client reads them, and cuts the connection if the client takes too long.
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
