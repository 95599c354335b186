import {
  dryRunResponseSchema,
  RESPONSE_HEADERS,
  responseHeaders,
  responseSchema,
} from "@/lib/access/endpoints/responses";
import { ANY_TYPE, type Reply } from "@/lib/platform/http/response";
import type { Declaration, Shape } from "./declaration";

type Declared = Pick<
  Declaration<Shape, Shape, unknown>,
  "name" | "query" | "response" | "status" | "headers" | "produces"
>;

/** A response differs from its declaration. This is our bug, so tests and development fail on it. */
export class UndeclaredResponseError extends Error {
  readonly problems: readonly string[];

  constructor(endpoint: string, problems: readonly string[]) {
    super(`The response of ${endpoint} is not what it declares: ${problems.join("; ")}`);
    this.name = "UndeclaredResponseError";
    this.problems = problems;
  }
}

/**
 * Checks a response against the schema its endpoint declares: fields that either lacks, and values that the schema would write in
 * another form (a time that is not in UTC, an amount without decimals).
 *
 * @throws UndeclaredResponseError with the endpoint and the fields, but no values, which may be a patient's
 */
export function requireDeclaredResponse(declared: Declared, reply: Reply, { dryRun }: { dryRun: boolean }): void {
  const status = reply.status ?? declared.status;
  // Staff calls are only made by our own pages.
  if ("role" in declared) return;
  const other = [...undeclaredHeaders(declared, reply, { dryRun }), ...undeclaredTypes(declared, reply)];
  if (other.length > 0) throw new UndeclaredResponseError(declared.name, other);
  if (reply.image || reply.file || reply.download || reply.gzipped || reply.text !== undefined) return;
  if (!dryRun && status !== declared.status) return;
  const schema = dryRun ? dryRunResponseSchema(declared) : responseSchema(declared);
  if (!schema) return;
  const sent: unknown = reply.body === undefined ? undefined : JSON.parse(JSON.stringify(reply.body));
  const parsed = schema.safeParse(sent);
  const problems = parsed.success
    ? listDifferences(sent, parsed.data, "")
    : parsed.error.issues.map(({ path, message }) => `${path.join(".") || "the body"}: ${message}`);
  if (problems.length > 0) throw new UndeclaredResponseError(declared.name, problems.slice(0, MAX_PROBLEMS));
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

/** Lists where a body differs from what its schema made of it, which lacks undeclared fields. */
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
