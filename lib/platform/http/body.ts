import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { z } from "zod";
import { ValidationError } from "@/lib/platform/errors";
import { toError } from "@/lib/platform/objects";
import { BadRequestError, UnsupportedMediaTypeError } from "./errors";
import { readBytes } from "./read-bytes";
import { parseBody, parseOrThrow } from "./validation";

/** A request body, read and checked, with a hash that is the same for the same content (Idempotency-Key). */
export interface ParsedBody<T> {
  value: T;
  fingerprint: string;
}

/** How an endpoint reads its body. */
export interface BodyReader<T> {
  /** The shape of the JSON form, where there is one: for the API description and the checks. */
  schema?: z.ZodType;
  /** The shape of a form, where one is taken, and how it is sent. A field that is no JSON is a file. */
  form?: { mediaType: string; schema: z.ZodType };
  /** @param incoming Node's message behind the request, as in `readBytes` */
  read(request: Request, incoming?: IncomingMessage): Promise<ParsedBody<T>>;
}

const MAX_DEPTH = 32;
/** Entries of one list or object: more than any record of this API has, and few enough to tell what is wrong with each. */
const MAX_ENTRIES = 10_000;

/** Values of one body: parsing millions of them would hold up every other request, though their text is within the limit. */
const MAX_VALUES = 200_000;

/** A JSON body of the given shape; `limitBytes` for one that never needs as much as the settings allow. */
export function json<S extends z.ZodType>(schema: S, limits: { limitBytes?: number } = {}): BodyReader<z.output<S>> {
  return {
    schema,
    async read(request, incoming) {
      requireMediaType(request, ["application/json"]);
      const bytes = await readBytes(request, { ...limits, incoming });
      return { value: parseJson(schema, bytes), fingerprint: sha256(bytes) };
    },
  };
}

/** One uploaded file of a multipart form. */
export interface UploadedFile {
  bytes: Uint8Array;
  filename: string;
}

/** A body that is taken as it is: part of a file. */
export function octets(limits: { limitBytes: number }): BodyReader<Uint8Array> {
  return {
    async read(request, incoming) {
      requireMediaType(request, ["application/octet-stream"]);
      const value = await readBytes(request, { ...limits, incoming });
      return { value, fingerprint: sha256(value) };
    },
  };
}

/** Either a JSON body or a multipart form, each brought to the same value. */
export function jsonOrMultipart<S extends z.ZodType>(options: {
  schema: S;
  /** Turns the form's text fields and files into what the JSON body would have held. */
  fromForm: (fields: Record<string, string>, files: Record<string, UploadedFile>) => unknown;
}): BodyReader<z.output<S>> {
  return {
    schema: options.schema,
    form: { mediaType: "multipart/form-data", schema: options.schema },
    async read(request, incoming) {
      requireMediaType(request, ["application/json", "multipart/form-data"]);
      const bytes = await readBytes(request, { incoming });
      if (mediaType(request) === "application/json") {
        return { value: parseJson(options.schema, bytes), fingerprint: sha256(bytes) };
      }
      const { fields, files } = await parseMultipart(request, bytes);
      const value = parseOrThrow(options.schema, options.fromForm(fields, files));
      // The boundary of a form differs each time it is sent: only the content may count.
      const content = [...Object.entries(fields), ...Object.entries(files).map(([name, f]) => [name, sha256(f.bytes)])];
      return { value, fingerprint: sha256(Buffer.from(JSON.stringify(content.sort()))) };
    },
  };
}

/** The media type without its parameters, in lower case; empty where none is sent. */
export function mediaType(request: Request): string {
  return (request.headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
}

function requireMediaType(request: Request, accepted: readonly string[]): void {
  const charset = /charset\s*=\s*"?([^";\s]+)/i.exec(request.headers.get("content-type") ?? "")?.[1];
  if (!accepted.includes(mediaType(request))) throw new UnsupportedMediaTypeError(accepted);
  if (charset && !/^utf-?8$/i.test(charset)) throw new UnsupportedMediaTypeError(accepted.map((a) => `${a} in UTF-8`));
}

const decoder = new TextDecoder("utf-8", { fatal: true });

/** Text of bytes that must be valid UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new BadRequestError("invalid_encoding", "The body is not valid UTF-8.");
  }
}

function parseJson<S extends z.ZodType>(schema: S, bytes: Uint8Array): z.output<S> {
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
  return parseBody(schema, value, requireStorable(value));
}

/** How many commas and opening brackets a JSON text has outside of strings; it is not looked at beyond the limit. */
function countValues(json: Uint8Array): number {
  let count = 0;
  let isQuoted = false;
  for (let at = 0; at < json.length && count <= MAX_VALUES; at++) {
    const byte = json[at];
    if (byte === 0x22) isQuoted = !isQuoted;
    // What a backslash escapes can't end the string. Outside of strings it is no JSON, and JSON.parse stops there.
    else if (byte === 0x5c) at++;
    else if (!isQuoted && (byte === 0x2c || byte === 0x5b || byte === 0x7b)) count++;
  }
  return count;
}

/**
 * Refuses what JSON allows and we can't keep: NUL characters, halves of surrogate pairs, numbers that are none any more (1e400).
 * And nesting deeper, or lists longer, than any record of this API has: they only cost us time.
 *
 * @returns how many values there are
 */
function requireStorable(root: unknown): number {
  let count = 0;
  const stack: { value: unknown; depth: number; field: string }[] = [{ value: root, depth: 0, field: "" }];
  for (let entry = stack.pop(); entry; entry = stack.pop()) {
    count++;
    const { value, depth, field } = entry;
    if (typeof value === "string") refuseText(value, field);
    if (typeof value === "number" && !Number.isFinite(value)) refuse(field, "Is too large a number.");
    if (typeof value !== "object" || value === null) continue;
    if (depth >= MAX_DEPTH) refuse(field, `Is nested deeper than ${MAX_DEPTH} levels.`);
    const entries = Object.entries(value);
    if (entries.length > MAX_ENTRIES) refuse(field, `Has more than ${MAX_ENTRIES} entries.`);
    for (const [key, child] of entries) {
      if (!Array.isArray(value)) refuseText(key, field);
      stack.push({ value: child, depth: depth + 1, field: field || (Array.isArray(value) ? "" : key) });
    }
  }
  return count;
}

function refuseText(text: string, field: string): void {
  if (text.includes("\u0000")) refuse(field, "May not contain NUL.");
  if (!text.isWellFormed()) refuse(field, "Contains half of a surrogate pair.");
}

function refuse(field: string, message: string): never {
  throw new ValidationError({ [field || "non_field_errors"]: [message] });
}

async function parseMultipart(request: Request, bytes: Uint8Array) {
  const fields = new Map<string, string>();
  const files = new Map<string, UploadedFile>();
  let form: FormData;
  refuseManyParts(request, bytes);
  try {
    const headers = { "content-type": request.headers.get("content-type") ?? "" };
    form = await new Response(bytes as BodyInit, { headers }).formData();
  } catch {
    throw invalidForm();
  }
  for (const [name, value] of form) {
    refuseText(name, "");
    if (fields.has(name) || files.has(name)) refuse(name, "Was sent more than once.");
    if (typeof value === "string") {
      refuseText(value, name);
      fields.set(name, value);
    } else {
      files.set(name, { bytes: new Uint8Array(await value.arrayBuffer()), filename: value.name });
    }
  }
  return { fields: Object.fromEntries(fields), files: Object.fromEntries(files) };
}

/** No form of this API has nearly as many. The parser takes quadratic time and blocks the event loop. */
const MOST_PARTS = 100;
/** Longest headers of one part. The parser runs several regular expressions on each of their lines. */
const LONGEST_PART_HEAD = 8 * 1024;
/** A boundary with the characters of RFC 2046. What else a quoted one may hold, the parser reads differently than we would. */
const BOUNDARY = /;\s*boundary=(?:"([\w'()+,./:=? -]+)"|([\w'()+,./:=?-]+))\s*(?:;|$)/i;

function refuseManyParts(request: Request, bytes: Uint8Array): void {
  const contentType = request.headers.get("content-type") ?? "";
  const boundary = BOUNDARY.exec(contentType);
  // With a second one, inside of another parameter perhaps, we would count by a boundary that the parser doesn't use.
  if (!boundary || contentType.toLowerCase().split("boundary=").length > 2) throw invalidForm();
  const mark = Buffer.from(`--${boundary[1] ?? boundary[2]}`);
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let parts = 0;
  for (let at = buffer.indexOf(mark); at !== -1; at = buffer.indexOf(mark, at + mark.length)) {
    // The last one ends the form.
    if (++parts > MOST_PARTS + 1) refuse("", `The form has more than ${MOST_PARTS} parts.`);
    const head = buffer.subarray(at + mark.length, at + mark.length + LONGEST_PART_HEAD);
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
