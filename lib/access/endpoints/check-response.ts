import {
  dryRunResponseSchema,
  RESPONSE_HEADERS,
  responseHeaders,
  responseSchema,
} from "@/lib/access/endpoints/responses";
import { ANY_TYPE, type Reply } from "@/lib/platform/http/reply";
import type { Declaration, Shape } from "./declaration";

type Declared = Pick<
  Declaration<Shape, Shape, unknown>,
  "name" | "query" | "response" | "status" | "headers" | "produces"
>;

/** An answer is not what its endpoint declares: a fault of ours, that tests and development are to fail on. */
export class UndeclaredResponseError extends Error {
  readonly problems: readonly string[];

  constructor(endpoint: string, problems: readonly string[]) {
    super(`The answer of ${endpoint} is not what it declares: ${problems.join("; ")}`);
    this.name = "UndeclaredAnswerError";
    this.problems = problems;
  }
}

/**
 * Checks an answer by the shape its endpoint declares, as strictly as it goes: what the shape lacks, what the answer lacks,
 * and what the shape would write otherwise (a time that is not in UTC, an amount without decimals). Of values it says nothing,
 * they may be a patient's.
 *
 * @throws UndeclaredAnswerError naming the endpoint and the places
 */
export function requireDeclaredResponse(declared: Declared, reply: Reply, { dryRun }: { dryRun: boolean }): void {
  const status = reply.status ?? declared.status;
  // What the staff side's pages get is between them and their own code.
  if ("role" in declared) return;
  const other = [...undeclaredHeaders(declared, reply, { dryRun }), ...undeclaredTypes(declared, reply)];
  if (other.length > 0) throw new UndeclaredResponseError(declared.name, other);
  if (reply.image || reply.file || reply.download || reply.gzipped || reply.text !== undefined) return;
  if (!dryRun && status !== declared.status) return;
  const schema = dryRun ? dryRunResponseSchema(declared) : responseSchema(declared);
  if (!schema) return;
  const told: unknown = reply.body === undefined ? undefined : JSON.parse(JSON.stringify(reply.body));
  const parsed = schema.safeParse(told);
  const problems = parsed.success
    ? differencesOf(told, parsed.data, "")
    : parsed.error.issues.map(({ path, message }) => `${path.join(".") || "the body"}: ${message}`);
  if (problems.length > 0) throw new UndeclaredResponseError(declared.name, problems.slice(0, MOST_TOLD));
}

/** Headers that are sent and not declared, or declared and not sent. What is of HTTP itself (Cache-Control) is not told apart. */
function undeclaredHeaders(declared: Declared, reply: Reply, { dryRun }: { dryRun: boolean }): string[] {
  const { may, always } = responseHeaders(declared, { dryRun });
  const sent = new Set(Object.keys(reply.headers ?? {}).map((name) => name.toLowerCase()));
  const isSent = (name: string) => sent.has(name.toLowerCase());
  const extra = RESPONSE_HEADERS.filter((name) => isSent(name) && !may.includes(name));
  const isWhole = dryRun || [declared.status, 304].includes(reply.status ?? declared.status);
  const missing = always.filter((name) => isWhole && !isSent(name));
  return [...extra.map((name) => `${name}: is not declared`), ...missing.map((name) => `${name}: is missing`)];
}

/** What a file is said to be, where no such file is declared. */
function undeclaredTypes({ produces = [] }: Declared, { file, download }: Reply): string[] {
  const type = (file ?? download)?.contentType.split(";")[0] ?? "";
  return type === "" || produces.includes(type) || produces.includes(ANY_TYPE) ? [] : [`${type}: is not declared`];
}

const MOST_TOLD = 10;

/** Where what was told differs from what the shape makes of it: a field it does not know is not in that. */
function differencesOf(told: unknown, known: unknown, at: string): string[] {
  if (told === known) return [];
  if (!isNested(told) || !isNested(known)) return [`${at}: would be written otherwise`];
  const keys = new Set([...Object.keys(told), ...Object.keys(known)]);
  return [...keys].flatMap((key) => {
    const place = at ? `${at}.${key}` : key;
    if (!Object.hasOwn(known, key)) return [`${place}: is not declared`];
    if (!Object.hasOwn(told, key)) return known[key] === undefined ? [] : [`${place}: is missing`];
    return differencesOf(told[key], known[key], place);
  });
}

function isNested(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
