// Hostile requests to every operation: bodies, queries, paths, headers, media types and forms, each from a seed.
import { gzipSync } from "node:zlib";
import fc, { type Arbitrary } from "fast-check";
import type { z } from "zod";
import type { JsonSchema } from "@/lib/api/openapi/schema";
import { inputSchema } from "./bad-values";
import {
  below,
  chance,
  headerValue,
  mutate,
  nastyText,
  nastyValue,
  pick,
  type Random,
  randomFrom,
  toJson,
} from "./fuzz-values";
import { valuesOf } from "./generated-values";

/** An operation that receives hostile requests. */
export interface FuzzedOperation {
  method: string;
  /** As the folders name it: `patients/[id]`. */
  path: string;
  declaration: {
    query?: z.ZodRawShape | undefined;
    body?: { schema?: z.ZodType; form?: { mediaType: string; schema: z.ZodType } } | undefined;
  };
  /** `/api/2.0/` or `/api/staff/`. */
  root: string;
  /** The path with existing records. */
  at: () => string;
  /** Values of fields that the schema does not show. */
  known: () => Readonly<Record<string, unknown>>;
  /** A valid body, if one is known. */
  body: () => unknown;
}

export interface FuzzedRequest {
  method: string;
  /** Path and query. */
  target: string;
  headers: [string, string][];
  body: Buffer | null;
}

/** Builds the request of an operation for a seed: the same request as long as the records are the same. */
export function fuzzedRequest(operation: FuzzedOperation, seed: number): FuzzedRequest {
  const random = randomFrom(seed ^ hashOf(`${operation.method} ${operation.path}`));
  const sent = writes(operation) || chance(random, 0.05) ? bodyOf(operation, random) : null;
  const headers: [string, string][] = sent?.type === undefined ? [] : [["content-type", sent.type]];
  if (sent?.encoding) headers.push(["content-encoding", sent.encoding]);
  return {
    method: operation.method,
    target: `${operation.root}${pathFor(operation, random)}${queryFor(operation, random)}`,
    headers: [...headers, ...oddHeaders(random)],
    body: sent?.bytes ?? null,
  };
}

const writes = ({ method }: FuzzedOperation) => method !== "GET" && method !== "HEAD" && method !== "DELETE";

/** Returns the FNV-1a hash of a string. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}

const IDS = [
  "0",
  "-1",
  "1.5",
  "1e3",
  "9007199254740993",
  "9".repeat(30),
  "null",
  "%00",
  "%ff",
  "%ED%A0%80",
  "..%2f..",
  "%2e%2e%2f",
];

function pathFor({ path, at }: FuzzedOperation, random: Random): string {
  const segments = at().split("/");
  const named = path.split("/");
  const odd = segments.map((segment, index) => {
    if (!named[index]?.startsWith("[") || chance(random, 0.9)) return segment;
    const text = chance(random, 0.5) ? pick(random, IDS) : encodeURIComponent(nastyText(random).slice(0, 300));
    return /^\.{0,2}$/.test(text) ? "x" : text;
  });
  return odd.join("/") + (chance(random, 0.3) ? "/" : "");
}

const RAW_QUERIES = [
  "%ff=%ff",
  "=",
  "&&&",
  "a[]=1&a[]=2",
  "%zz",
  "dry_run=true",
  "dry_run=1",
  "limit=0&offset=-1",
  "cursor=AAAA",
  "page_size=1e9",
];

function queryFor({ declaration }: FuzzedOperation, random: Random): string {
  const names = Object.keys(declaration.query ?? {});
  if (chance(random, names.length > 0 ? 0.2 : 0.8)) return "";
  const pairs = Array.from({ length: 1 + below(random, 3) }, () => {
    if (names.length === 0 || chance(random, 0.1)) return pick(random, RAW_QUERIES);
    const value = chance(random, 0.3) ? String(below(random, 100)) : nastyText(random).slice(0, 3_000);
    return `${encodeURIComponent(pick(random, names))}=${chance(random, 0.05) ? "%ED%A0%80" : encodeURIComponent(value)}`;
  });
  return `?${pairs.join("&").slice(0, 6_000)}`;
}

const VERSIONS = ["*", '"1"', 'W/"1"', '"99999999999999999999"', "x", '"1", "2"', '""', '"-1"', '"1'];
/** Each is sent with some of the requests. */
const ODD_HEADERS: Readonly<Record<string, (random: Random) => string>> = {
  "if-match": (random) => pick(random, VERSIONS),
  "if-none-match": (random) => pick(random, VERSIONS),
  "idempotency-key": (random) =>
    pick(random, ["again", "x".repeat(256), "é", "", "a b", headerValue(nastyText(random))]),
  "x-change-reason": (random) => headerValue(nastyText(random)),
  "x-request-id": (random) => headerValue(nastyText(random)),
  accept: (random) => pick(random, ["text/html", "*/*;q=0", "application/xml", "x"]),
  "accept-encoding": (random) => pick(random, ["gzip", "identity;q=0", "*;q=0", "br"]),
  "accept-language": (random) => headerValue(nastyText(random)),
  range: (random) => pick(random, ["bytes=0-", "bytes=-1", "bytes=5-1", "x"]),
  "x-forwarded-for": (random) => pick(random, ["::1", "x", "1.2.3.4, 5.6.7.8"]),
  "x-forwarded-host": (random) => pick(random, ["example.org", "x y", ""]),
  "user-agent": (random) => headerValue(nastyText(random)),
  authorization: (random) =>
    pick(random, ["Bearer", "Bearer x", "Basic Og==", "Bearer \u00ff", `Bearer ${"x".repeat(3_000)}`]),
  cookie: (random) => pick(random, ["crosswalk-session=x", "a=b; a=c;;;=", `crosswalk-session=${"x".repeat(3_000)}`]),
  origin: (random) => pick(random, ["null", "https://example.org", "x"]),
};

function oddHeaders(random: Random): [string, string][] {
  return Object.entries(ODD_HEADERS).flatMap(([name, valueFor]) => {
    const share = name === "authorization" || name === "cookie" || name === "origin" ? 0.01 : 0.03;
    return chance(random, share) ? [[name, valueFor(random)] as [string, string]] : [];
  });
}

interface SentBody {
  bytes: Buffer;
  type?: string;
  encoding?: string;
}

const ODD_TYPES = [
  "text/plain",
  "application/json; charset=utf-16",
  "application/json;charset=latin1",
  'application/json; charset="utf-8"',
  "APPLICATION/JSON",
  "application/json, text/html",
  "application/x-www-form-urlencoded",
  "application/octet-stream",
  "*/*",
  ";",
  "multipart/form-data",
  "multipart/form-data; boundary=",
  'multipart/form-data; boundary="a b"',
  "application/merge-patch+json",
];

function bodyOf(operation: FuzzedOperation, random: Random): SentBody {
  const { body } = operation.declaration;
  if (body && !body.schema) return octets(random);
  if (body?.form?.mediaType === "multipart/form-data" && chance(random, 0.5)) return formBody(body.form.schema, random);
  if (body?.form && chance(random, 0.7)) return urlEncodedBody(body.form.schema, random);
  const text = toJson(jsonBody(operation, random));
  const type = chance(random, 0.93) ? "application/json" : pick(random, ODD_TYPES);
  const bytes = Buffer.from(text);
  if (chance(random, 0.02)) return { bytes: gzipSync(bytes), type, encoding: "gzip" };
  return { bytes: chance(random, 0.08) ? damaged(random, bytes) : bytes, ...(chance(random, 0.01) ? {} : { type }) };
}

function octets(random: Random): SentBody {
  const bytes = Buffer.from(Array.from({ length: below(random, 300) }, () => below(random, 256)));
  return { bytes, type: chance(random, 0.8) ? "application/octet-stream" : pick(random, ODD_TYPES) };
}

const ARBITRARIES = new WeakMap<FuzzedOperation, Arbitrary<unknown>>();

/** Returns a body of the operation's schema, or a valid one, with up to four changes; or any JSON. */
function jsonBody(operation: FuzzedOperation, random: Random): unknown {
  if (chance(random, 0.08)) return nastyValue(random);
  const given = operation.body();
  let value = given;
  if (given === undefined || chance(random, 0.6)) {
    const arbitrary = ARBITRARIES.get(operation) ?? arbitraryOf(operation);
    ARBITRARIES.set(operation, arbitrary);
    [value] = fc.sample(arbitrary, { seed: below(random, 2 ** 31), numRuns: 1 });
  }
  for (let changes = below(random, 6) - 2; changes > 0; changes--) value = mutate(random, value);
  return value;
}

function arbitraryOf({ declaration, known }: FuzzedOperation): Arbitrary<unknown> {
  const schema = declaration.body?.schema;
  if (!schema) return fc.jsonValue({ maxDepth: 2 });
  return valuesOf(inputSchema(schema) as JsonSchema, { schemas: {}, size: "any", known: known() });
}

/** Returns damaged bytes: cut off, mixed with others, in another encoding. */
function damaged(random: Random, bytes: Buffer): Buffer {
  const at = below(random, bytes.length + 1);
  return pick(random, [
    () => bytes.subarray(0, at),
    () => Buffer.concat([bytes.subarray(0, at), Buffer.from([below(random, 256)]), bytes.subarray(at)]),
    () => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]),
    () => Buffer.from(bytes.toString("utf8"), "utf16le"),
    () => Buffer.concat([bytes, bytes]),
    () => Buffer.alloc(below(random, 2_000), below(random, 256)),
  ])();
}

const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  "base64",
);

/** Builds a multipart form with the operation's fields, or others, well formed or not. */
function formBody(schema: z.ZodType, random: Random): SentBody {
  const names = [...Object.keys((inputSchema(schema) as JsonSchema).properties ?? {}), "image", "rank", "side"];
  const boundary = pick(random, ["b", "----WebKitFormBoundaryAAAA", "a b", "x".repeat(80)]);
  const parts = Array.from({ length: below(random, 5) }, () => {
    const name = chance(random, 0.9) ? pick(random, names) : nastyText(random).slice(0, 50);
    const isFile = chance(random, 0.5);
    const file = isFile ? `; filename="${pick(random, ["a.png", "", "../a", 'a".png', "é.jpg", "a\r\nx: y"])}"` : "";
    const disposition = chance(random, 0.95)
      ? `Content-Disposition: form-data; name="${name}"${file}`
      : pick(random, ["", "x", ":"]);
    const more = chance(random, 0.2)
      ? pick(random, ["\r\nContent-Type: image/png", "\r\nContent-Transfer-Encoding: base64", "\r\nx"])
      : "";
    const content = isFile && chance(random, 0.6) ? PIXEL : Buffer.from(nastyText(random));
    return Buffer.concat([Buffer.from(`--${boundary}\r\n${disposition}${more}\r\n\r\n`), content, Buffer.from("\r\n")]);
  });
  const bytes = Buffer.concat([...parts, Buffer.from(chance(random, 0.9) ? `--${boundary}--\r\n` : `--${boundary}`)]);
  const type = `multipart/form-data; boundary=${chance(random, 0.95) ? boundary : "other"}`;
  return { bytes: chance(random, 0.1) ? damaged(random, bytes) : bytes, type };
}

function urlEncodedBody(schema: z.ZodType, random: Random): SentBody {
  const names = Object.keys((inputSchema(schema) as JsonSchema).properties ?? {});
  const pairs = Array.from({ length: below(random, 6) }, () => {
    const name = names.length > 0 && chance(random, 0.9) ? pick(random, names) : nastyText(random);
    return `${encodeURIComponent(name)}=${chance(random, 0.1) ? "%ff%zz" : encodeURIComponent(nastyText(random))}`;
  });
  return { bytes: Buffer.from(pairs.join("&")), type: "application/x-www-form-urlencoded" };
}

/** Describes the request in one line, so that it can be repeated by hand. */
export function describeRequest({ method, target, headers, body }: FuzzedRequest): string {
  const shown = body === null ? "" : ` body ${JSON.stringify(body.toString("latin1").slice(0, 1_000))}`;
  return `${method} ${target} ${JSON.stringify(Object.fromEntries(headers))}${shown}`;
}
