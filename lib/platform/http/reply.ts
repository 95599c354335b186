import type { ErrorCode } from "@/lib/platform/errors";
import type { PlainResponse } from "./send";

/** Media type of files that keep the type they were uploaded with. */
export const ANY_TYPE = "*/*";

/** What a handler returns. `renderReply` makes the response from it. */
export interface Reply<T = unknown> {
  body?: T;
  /** A body that is JSON already. */
  text?: string;
  /** The same, compressed for clients that accept gzip. */
  gzipped?: Uint8Array;
  /** Overrides the status that the endpoint declares. */
  status?: number;
  headers?: Record<string, string>;
  /** IDs of the patients whose data it holds, because each read is audited (design §9). Default: the patient in the path. */
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
  /** In any script, without a folder. */
  filename: string;
  /** Browsers show the file instead of downloading it, if they can. */
  inline?: boolean;
}

/** HTTP statuses of domain errors (design §4). */
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

/** For files, in place of the usual policy: a browser that shows one treats it as a page of no origin. */
const FILE_POLICY = "default-src 'none'; frame-ancestors 'none'; sandbox";

const JSON_TYPE = "application/json; charset=utf-8";

/** Renders what a handler returned, with the status that its endpoint declares unless the reply has its own. */
export function renderReply(reply: Reply, status: number): PlainResponse {
  if (reply.image) return imageResponse(reply.image);
  if (reply.file) return fileResponse(reply.file);
  if (reply.download) return downloadResponse(reply.download);
  if (reply.gzipped) return gzippedResponse(reply.gzipped, reply.headers);
  if (reply.text !== undefined) return jsonTextResponse(reply.status ?? status, reply.text, reply.headers);
  return jsonResponse(reply.status ?? status, reply.body, reply.headers);
}

/** A JSON response. Almost every one holds patient data, so no cache may keep it. */
export function jsonResponse(status: number, body: unknown, headers: Record<string, string> = {}): PlainResponse {
  if (status === 204 || status === 304 || body === undefined) {
    return { status, headers: { "cache-control": "no-store", ...headers }, body: null };
  }
  return jsonTextResponse(status, JSON.stringify(body), headers);
}

/** The same for a text that is JSON already. */
function jsonTextResponse(status: number, text: string, headers: Record<string, string> = {}): PlainResponse {
  return { status, headers: { "content-type": JSON_TYPE, "cache-control": "no-store", ...headers }, body: text };
}

/** The same for JSON that is compressed already. */
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

/** A file to keep, under its name. */
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

/** A file. Browsers don't guess its type, run nothing in it, and keep no copy of it. */
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

/** The bytes of a card image, JPEG or PNG by their first byte. Browsers show it but run and keep nothing. */
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
