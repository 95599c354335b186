import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { z } from "zod";
import { config } from "@/lib/platform/config";
import { ValidationError } from "@/lib/platform/errors";
import { toError } from "@/lib/platform/objects";
import {
  BadRequestError,
  ClientLeftError,
  PayloadTooLargeError,
  RequestTimeoutError,
  UnsupportedContentEncodingError,
  UnsupportedMediaTypeError,
} from "./errors";
import { toDeclaredForm } from "./lenient";
import { Pace } from "./server-limits";
import { parseBody, parseOrThrow } from "./validation";

/** A validated request body. */
export interface ParsedBody<T> {
  value: T;
  /** Returns a hash of the content, for Idempotency-Key. */
  fingerprint(): string;
}

/** How an endpoint reads its body. */
export interface BodyReader<T> {
  /** Schema of the JSON form, if there is one, for the API description and the tests. */
  schema?: z.ZodType;
  /** Schema and media type of a form, if the endpoint takes one. */
  form?: { mediaType: string; schema: z.ZodType };
  read(request: Request, options?: ReadOptions): Promise<ParsedBody<T>>;
}

/** How a body is read. */
interface ReadOptions {
  /** Node's message behind the request, as in `readBytes`. */
  incoming?: IncomingMessage | undefined;
  /** Converts values in other forms than declared if they can be (`toDeclaredForm`). */
  isLenient?: boolean | undefined;
}

const MAX_DEPTH = 32;
/** Entries of a list or object. No record of this API has more. */
const MAX_ENTRIES = 10_000;

/** Values of a body. Parsing millions would block other requests, even if their text is within the limit. */
const MAX_VALUES = 200_000;

/** Reads a JSON body. Set `limitBytes` if it never needs as much as the settings allow. */
export function json<S extends z.ZodType>(schema: S, limits: { limitBytes?: number } = {}): BodyReader<z.output<S>> {
  return {
    schema,
    async read(request, { incoming, isLenient } = {}) {
      requireMediaType(request, ["application/json"]);
      const bytes = await readBytes(request, { ...limits, incoming });
      return { value: parseJson(schema, bytes, isLenient), fingerprint: () => sha256(bytes) };
    },
  };
}

/** An uploaded file of a multipart form. */
export interface UploadedFile {
  bytes: Uint8Array;
  filename: string;
}

/** Reads a body of raw bytes, such as a part of a file. */
export function octets(limits: { limitBytes: number }): BodyReader<Uint8Array> {
  return {
    async read(request, { incoming } = {}) {
      requireMediaType(request, ["application/octet-stream"]);
      const value = await readBytes(request, { ...limits, incoming });
      return { value, fingerprint: () => sha256(value) };
    },
  };
}

/** Reads either a JSON body or a multipart form into the same value. */
export function jsonOrMultipart<S extends z.ZodType>(options: {
  schema: S;
  /** Converts the form's text fields and files to what the JSON body would hold. */
  fromForm: (fields: Record<string, string>, files: Record<string, UploadedFile>) => unknown;
}): BodyReader<z.output<S>> {
  return {
    schema: options.schema,
    form: { mediaType: "multipart/form-data", schema: options.schema },
    async read(request, { incoming, isLenient } = {}) {
      requireMediaType(request, ["application/json", "multipart/form-data"]);
      const bytes = await readBytes(request, { incoming });
      if (mediaType(request) === "application/json") {
        return { value: parseJson(options.schema, bytes, isLenient), fingerprint: () => sha256(bytes) };
      }
      const { fields, files } = await parseMultipart(request, bytes);
      const value = parseOrThrow(options.schema, options.fromForm(fields, files));
      return { value, fingerprint: () => hashForm(fields, files) };
    },
  };
}

/** Hashes the content of a form alone, because each attempt has another boundary. */
function hashForm(fields: Record<string, string>, files: Record<string, UploadedFile>): string {
  const hashes = Object.entries(files).map(([name, { bytes }]) => [name, sha256(bytes)]);
  return sha256(Buffer.from(JSON.stringify([...Object.entries(fields), ...hashes].sort())));
}

/** Returns the media type in lower case without parameters, or an empty text without the header. */
export function mediaType(request: Request): string {
  return (request.headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
}

function requireMediaType(request: Request, accepted: readonly string[]): void {
  const charset = /charset\s*=\s*"?([^";\s]+)/i.exec(request.headers.get("content-type") ?? "")?.[1];
  if (!accepted.includes(mediaType(request))) throw new UnsupportedMediaTypeError(accepted);
  if (charset && !/^utf-?8$/i.test(charset)) throw new UnsupportedMediaTypeError(accepted.map((a) => `${a} in UTF-8`));
  requireUncompressed(request);
}

/** @throws UnsupportedContentEncodingError for any encoding but `identity`. Several can be listed. */
export function requireUncompressed(request: Request): void {
  const encoding = request.headers.get("content-encoding");
  if (encoding !== null && !/^(?:[\s,]|identity(?=[\s,]|$))*$/i.test(encoding))
    throw new UnsupportedContentEncodingError();
}

const decoder = new TextDecoder("utf-8", { fatal: true });

/** @throws BadRequestError if the bytes are not valid UTF-8 */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new BadRequestError("invalid_encoding", "The body is not valid UTF-8.");
  }
}

function parseJson<S extends z.ZodType>(schema: S, bytes: Uint8Array, isLenient = false): z.output<S> {
  if (bytes.length > MAX_VALUES && countValues(bytes) > MAX_VALUES) {
    throw new ValidationError({ non_field_errors: [`The body has more than ${MAX_VALUES} values.`] });
  }
  const text = decodeUtf8(bytes);
  if (text.trim() === "") throw new ValidationError({ non_field_errors: ["A JSON body is required."] });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new BadRequestError("invalid_json", `The body is not valid JSON: ${toError(error).message}`);
  }
  const count = requireStorable(value);
  try {
    return parseBody(schema, value, count);
  } catch (error) {
    // Only now, so that bodies in the declared form cost nothing more.
    const converted = isLenient ? toDeclaredForm(schema, value) : value;
    if (converted === value) throw error;
    return parseBody(schema, converted, count);
  }
}

/** Counts commas and opening brackets outside of strings, up to the limit. */
function countValues(json: Uint8Array): number {
  let count = 0;
  let isQuoted = false;
  for (let at = 0; at < json.length && count <= MAX_VALUES; at++) {
    const byte = json[at];
    if (byte === 0x22) isQuoted = !isQuoted;
    // An escaped character can't end the string. Outside of strings, JSON.parse rejects the backslash.
    else if (byte === 0x5c) at++;
    else if (!isQuoted && (byte === 0x2c || byte === 0x5b || byte === 0x7b)) count++;
  }
  return count;
}

/**
 * Rejects JSON that can't be stored: NUL characters, unpaired surrogates and numbers out of range (1e400). Also rejects deeper nesting and
 * longer lists than any record of this API has.
 *
 * @returns the number of values
 */
function requireStorable(root: unknown): number {
  let count = 0;
  const stack: { value: unknown; depth: number; field: string }[] = [{ value: root, depth: 0, field: "" }];
  for (let entry = stack.pop(); entry; entry = stack.pop()) {
    count++;
    const { value, depth, field } = entry;
    if (typeof value === "string") requireStorableText(value, field);
    if (typeof value === "number" && !Number.isFinite(value)) reject(field, "Is too large a number.");
    if (typeof value !== "object" || value === null) continue;
    if (depth >= MAX_DEPTH) reject(field, `Is nested deeper than ${MAX_DEPTH} levels.`);
    const entries = Object.entries(value);
    if (entries.length > MAX_ENTRIES) reject(field, `Has more than ${MAX_ENTRIES} entries.`);
    for (const [key, child] of entries) {
      if (!Array.isArray(value)) requireStorableText(key, field);
      stack.push({ value: child, depth: depth + 1, field: field || (Array.isArray(value) ? "" : key) });
    }
  }
  return count;
}

function requireStorableText(text: string, field: string): void {
  if (text.includes("\u0000")) reject(field, "May not contain NUL.");
  if (!text.isWellFormed()) reject(field, "Contains an unpaired surrogate.");
}

function reject(field: string, message: string): never {
  throw new ValidationError({ [field || "non_field_errors"]: [message] });
}

async function parseMultipart(request: Request, bytes: Uint8Array) {
  const fields = new Map<string, string>();
  const files = new Map<string, UploadedFile>();
  let form: FormData;
  requireFewParts(request, bytes);
  try {
    const headers = { "content-type": request.headers.get("content-type") ?? "" };
    form = await new Response(bytes as BodyInit, { headers }).formData();
  } catch {
    throw invalidForm();
  }
  for (const [name, value] of form) {
    requireStorableText(name, "");
    if (fields.has(name) || files.has(name)) reject(name, "Was sent more than once.");
    if (typeof value === "string") {
      requireStorableText(value, name);
      fields.set(name, value);
    } else {
      files.set(name, { bytes: new Uint8Array(await value.arrayBuffer()), filename: value.name });
    }
  }
  return { fields: Object.fromEntries(fields), files: Object.fromEntries(files) };
}

/** No form of this API has nearly as many. The parser takes quadratic time and blocks the event loop. */
const MAX_PARTS = 100;
/** Headers of a part. The parser runs several regular expressions on each of their lines. */
const MAX_PART_HEAD_BYTES = 8 * 1024;
/** A boundary with the characters of RFC 2046. The parser might read any others differently. */
const BOUNDARY = /;\s*boundary=(?:"([\w'()+,./:=? -]+)"|([\w'()+,./:=?-]+))\s*(?:;|$)/i;

function requireFewParts(request: Request, bytes: Uint8Array): void {
  const contentType = request.headers.get("content-type") ?? "";
  const boundary = BOUNDARY.exec(contentType);
  // With a second boundary, for example inside another parameter, the parser might use one and we the other.
  if (!boundary || contentType.toLowerCase().split("boundary=").length > 2) throw invalidForm();
  const mark = Buffer.from(`--${boundary[1] ?? boundary[2]}`);
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let parts = 0;
  for (let at = buffer.indexOf(mark); at !== -1; at = buffer.indexOf(mark, at + mark.length)) {
    // The last boundary ends the form.
    if (++parts > MAX_PARTS + 1) reject("", `The form has more than ${MAX_PARTS} parts.`);
    const head = buffer.subarray(at + mark.length, at + mark.length + MAX_PART_HEAD_BYTES);
    const isEnd = head[0] === 0x2d && head[1] === 0x2d;
    if (!isEnd && !head.includes("\r\n\r\n")) throw invalidForm();
  }
}

function invalidForm(): BadRequestError {
  return new BadRequestError("invalid_form", "The body is not a valid multipart form.");
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("base64url");
}

/**
 * Reads the bytes of a body. A body that is larger than MAX_BODY_BYTES, or than `limitBytes` if that is less, is rejected as soon as
 * its declared length or the bytes received exceed the limit.
 *
 * @param options.incoming Node's message behind the request. Reading from it costs a fraction of what a stream does, and a client
 *   that sends too slowly is rejected. It is absent under `next dev`.
 */
export function readBytes(
  request: Request,
  options: { limitBytes?: number; incoming?: IncomingMessage | undefined } = {},
): Promise<Uint8Array> {
  const limitBytes = Math.min(options.limitBytes ?? Number.POSITIVE_INFINITY, config().MAX_BODY_BYTES);
  if (Number(request.headers.get("content-length") ?? 0) > limitBytes) {
    return Promise.reject(new PayloadTooLargeError(limitBytes));
  }
  return options.incoming ? readMessage(options.incoming, limitBytes) : readStream(request.body, limitBytes);
}

function readMessage(incoming: IncomingMessage, limitBytes: number): Promise<Uint8Array> {
  // A small body usually arrives with its headers.
  if (incoming.complete && incoming.readableLength <= limitBytes && !incoming.destroyed) {
    const whole: Buffer | null = incoming.read();
    return Promise.resolve(whole ?? new Uint8Array());
  }
  return new Promise((resolve, reject) => {
    const pace = new Pace();
    const chunks: Buffer[] = [];
    let size = 0;
    let timer: NodeJS.Timeout | undefined;

    const settle = (finish: () => void) => {
      clearTimeout(timer);
      // Keep the error listener: without one, a late error would crash the process.
      incoming.off("data", onData).off("end", onEnd).off("close", onLeft);
      finish();
    };
    const stop = (error: Error) => {
      incoming.pause();
      settle(() => reject(error));
    };
    const waitForMore = () => {
      clearTimeout(timer);
      timer = setTimeout(() => stop(new RequestTimeoutError()), pace.wait());
    };
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size > limitBytes) return stop(new PayloadTooLargeError(limitBytes));
      chunks.push(chunk);
      pace.moved(chunk.length);
      waitForMore();
    };
    const onEnd = () => settle(() => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    const onLeft = (cause?: Error) => settle(() => reject(new ClientLeftError(cause)));

    if (incoming.destroyed) return onLeft();
    waitForMore();
    incoming.on("data", onData).on("end", onEnd).on("error", onLeft).on("close", onLeft);
  });
}

async function readStream(body: ReadableStream<Uint8Array> | null, limitBytes: number): Promise<Uint8Array> {
  if (!body) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read().catch((cause: unknown) => {
      throw new ClientLeftError(cause);
    });
    if (done) return Buffer.concat(chunks);
    size += value.byteLength;
    if (size > limitBytes) {
      await reader.cancel().catch(() => {});
      throw new PayloadTooLargeError(limitBytes);
    }
    chunks.push(value);
  }
}
