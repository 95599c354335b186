import { z } from "zod";
import type { Origin } from "@/lib/access/identity/access";
import type { BodyReader } from "@/lib/platform/http/body";
import type { IfMatch } from "@/lib/platform/http/conditional";
import { ANY_TYPE, type Reply } from "@/lib/platform/http/response";
import type { RouteContext } from "@/lib/platform/http/route";
import type { Requester } from "@/lib/platform/jobs/task-queue";
import { policyEffect } from "./policy-effect";

export type Shape = z.ZodRawShape;

export type Parsed<S extends Shape> = z.output<z.ZodObject<S>>;

// biome-ignore lint/complexity/noBannedTypes: A Record would give the empty shape every key.
export type NoShape = {};

/** Declares one method of one path. */
export interface Declaration<P extends Shape, Q extends Shape, B> extends EndpointDocumentation {
  /** `domain.verb`, as in the log and the API description. */
  name: string;
  params?: P;
  query?: Q;
  body?: BodyReader<B>;
  /** Schema of the response body, or of a dry run's result if only dry runs have a body. Omit it if there is no body. */
  response?: z.ZodType;
  /** The status of a successful response. */
  status: number;
  /** The response holds a secret that is shown once. A repeated Idempotency-Key gets 409 instead of a stored response. */
  oneTimeResponse?: true;
  /** The handler only reads, and so much that it is worth asking a replica (ADR 0207). */
  readsMuch?: true;
}

/** What an API description says about an endpoint beyond what follows from its declaration. */
export interface EndpointDocumentation {
  /** One line. Default: the endpoint's name in words. */
  summary?: string;
  /** What callers need to know, in Markdown. */
  description?: string;
  /** The section that lists the endpoint. Default: the group of its scope. */
  group?: string;
  /** Statuses of errors that don't follow from the declaration: 409, 410, 422. */
  errors?: readonly number[];
  /** A write honors If-Match (412), a read If-None-Match (304). */
  conditional?: true;
  deprecated?: true;
  /** Body fields that sign a document. To send one, a client also needs the signing scope. */
  signs?: readonly string[];
  /** Response headers that don't follow from the declaration. */
  headers?: readonly ResponseHeader[];
  /** Media types of a response that is not JSON. `ANY_TYPE` for a file in the type it was uploaded with. */
  produces?: readonly string[];
}

/** Response headers that only some endpoints have. */
export const RESPONSE_HEADERS = [
  "Location",
  "ETag",
  "Sync-Status",
  "Deprecation",
  "Sunset",
  "Link",
  "Link-Template",
  "Content-Disposition",
] as const;

export type ResponseHeader = (typeof RESPONSE_HEADERS)[number];

/** A parsed request. Handlers never see the Request itself. */
export interface Call<P, Q, B> {
  params: P;
  query: Q;
  body: B;
  url: URL;
  requestId: string;
  header: (name: string) => string | null;
  origin: Origin;
}

/** A parsed request of an authenticated caller. */
export interface AuthenticatedCall<A, P, Q, B> extends Call<P, Q, B> {
  access: A;
  ifMatch: IfMatch;
  /** Who waits for the response. */
  requester: Requester;
}

/** A route handler of Next and of our server, with the declaration that created it. */
export type DeclaredHandler<D> = ((request: Request, context?: Partial<RouteContext>) => Promise<Response>) & {
  declaration: D;
};

/** Headers that name a record or version. A dry run creates neither. */
const RECORD_HEADERS: ReadonlySet<ResponseHeader> = new Set(["Location", "ETag"]);

/** Returns the headers a successful response may have, and those it always has. */
export function responseHeaders(
  declared: Pick<Declaration<Shape, Shape, unknown>, "headers" | "query" | "produces">,
  { dryRun }: { dryRun: boolean },
): { may: readonly ResponseHeader[]; always: readonly ResponseHeader[] } {
  const { headers = [], produces } = declared;
  const names = headers.filter((name) => !dryRun || !RECORD_HEADERS.has(name));
  const follow: ResponseHeader[] = [
    ...(offersDryRun(declared) ? ["Sync-Status" as const] : []),
    ...(produces ? ["Content-Disposition" as const] : []),
  ];
  const always = names.filter((name) => RECORD_HEADERS.has(name));
  return { may: [...new Set([...names, ...follow])], always };
}

/** Returns whether an endpoint takes `dry_run`. */
export function offersDryRun({ query }: Pick<Responding, "query">): boolean {
  return query !== undefined && "dry_run" in query;
}

type Responding = Pick<Declaration<Shape, Shape, unknown>, "query" | "response" | "status">;

/** Returns the schema of a successful response, or undefined if it has no body. */
export function responseSchema({ status, response }: Responding): z.ZodType | undefined {
  return status === 204 ? undefined : response;
}

/** Returns the schema of the response to a dry run (200): the effects, and what the real response would hold. */
export function dryRunResponseSchema({ response }: Pick<Responding, "response">): z.ZodType {
  const schema = z.object({ effects: z.array(policyEffect), result: response ? response.nullable() : z.null() });
  return schema.meta({ title: `${schemaTitle(response)}DryRun` });
}

function schemaTitle(schema: z.core.$ZodType | undefined): string {
  if (schema instanceof z.ZodArray) return `${schemaTitle(schema.element)}List`;
  return (schema && z.globalRegistry.get(schema)?.title) ?? "";
}

type Declared = Pick<
  Declaration<Shape, Shape, unknown>,
  "name" | "query" | "response" | "status" | "headers" | "produces"
>;

/**
 * Checks a response against the schema its endpoint declares: fields that either lacks, and values that the schema would write in
 * another form (a time that is not in UTC, an amount without decimals).
 *
 * @throws UndeclaredResponseError with the endpoint and the fields, but no values, which may be a patient's
 */
export function requireDeclaredResponse(declared: Declared, reply: Reply, { dryRun }: { dryRun: boolean }): void {
  const status = reply.status ?? declared.status;
  // Only our own pages make staff calls.
  if ("role" in declared) return;
  const other = [...undeclaredHeaders(declared, reply, { dryRun }), ...undeclaredTypes(declared, reply)];
  if (other.length > 0) throw new UndeclaredResponseError(declared.name, other);
  if (reply.image || reply.file || reply.download || reply.gzipped) return;
  if (!dryRun && status !== declared.status) return;
  const schema = dryRun ? dryRunResponseSchema(declared) : responseSchema(declared);
  if (!schema) return;
  const text = reply.text ?? JSON.stringify(reply.body);
  const sent: unknown = text === undefined ? undefined : JSON.parse(text);
  const parsed = schema.safeParse(sent);
  const problems = parsed.success
    ? listDifferences(sent, parsed.data, "")
    : parsed.error.issues.map(({ path, message }) => `${path.join(".") || "the body"}: ${message}`);
  if (problems.length > 0) throw new UndeclaredResponseError(declared.name, problems.slice(0, MAX_PROBLEMS));
}

/** A response differs from its declaration. This is our bug, so tests and development fail on it. */
export class UndeclaredResponseError extends Error {
  readonly problems: readonly string[];

  constructor(endpoint: string, problems: readonly string[]) {
    super(`The response of ${endpoint} is not what it declares: ${problems.join("; ")}`);
    this.name = "UndeclaredResponseError";
    this.problems = problems;
  }
}

/** Lists headers that are sent but not declared, or declared but not sent. */
function undeclaredHeaders(declared: Declared, reply: Reply, { dryRun }: { dryRun: boolean }): string[] {
  const { may, always } = responseHeaders(declared, { dryRun });
  const sent = new Set(Object.keys(reply.headers ?? {}).map((name) => name.toLowerCase()));
  const isSent = (name: string) => sent.has(name.toLowerCase());
  const extra = RESPONSE_HEADERS.filter((name) => isSent(name) && !may.includes(name));
  const isWhole = dryRun || [declared.status, 304].includes(reply.status ?? declared.status);
  const missing = always.filter((name) => isWhole && !isSent(name));
  return [...extra.map((name) => `${name}: is not declared`), ...missing.map((name) => `${name}: is missing`)];
}

/** Lists a file's media type if it is not declared. */
function undeclaredTypes({ produces = [] }: Declared, { file, download }: Reply): string[] {
  const type = (file ?? download)?.contentType.split(";")[0] ?? "";
  return type === "" || produces.includes(type) || produces.includes(ANY_TYPE) ? [] : [`${type}: is not declared`];
}

const MAX_PROBLEMS = 10;

/** Lists where a body differs from its parsed form, which lacks undeclared fields. */
function listDifferences(sent: unknown, parsed: unknown, at: string): string[] {
  if (sent === parsed) return [];
  if (!isNested(sent) || !isNested(parsed)) return [`${at}: would be written otherwise`];
  const keys = new Set([...Object.keys(sent), ...Object.keys(parsed)]);
  return [...keys].flatMap((key) => {
    const place = at ? `${at}.${key}` : key;
    if (!Object.hasOwn(parsed, key)) return [`${place}: is not declared`];
    if (!Object.hasOwn(sent, key)) return parsed[key] === undefined ? [] : [`${place}: is missing`];
    return listDifferences(sent[key], parsed[key], place);
  });
}

function isNested(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
