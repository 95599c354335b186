import { z } from "zod";
import { publicOrigin } from "@/lib/platform/config";
import { NotFoundError, ValidationError } from "@/lib/platform/errors";
import { BadRequestError } from "@/lib/platform/http/errors";
import { isStorable, queryErrorMessage } from "@/lib/platform/http/query";
import type { RouteParams } from "@/lib/platform/http/route";
import { parseOrThrow } from "@/lib/platform/http/validation";
import type { Parsed, Shape } from "./declaration";

/** No endpoint has nearly as many. A URL has room for thousands, which would be slow to validate. */
const MAX_QUERY_PARAMETERS = 200;
const MAX_REASON_LENGTH = 500;

/** Makes the schema of a declared shape. Zod can't tell that its result is `Parsed<S>` while S is open. */
export function objectSchema<S extends Shape>(shape: S | undefined): z.ZodType<Parsed<S>> {
  return z.object(shape ?? {}) as z.ZodType as z.ZodType<Parsed<S>>;
}

/** Returns the request's URL at our public address, for links in responses. */
export function publicUrl(request: Request): URL {
  return new URL(publicOrigin() + request.url.slice(request.url.indexOf("/", "https://".length)));
}

/** @throws NotFoundError if a path parameter can't be an ID, as if no such record existed */
export function parseParams<T>(schema: z.ZodType<T>, params: RouteParams): T {
  const parsed = schema.safeParse(params);
  if (!parsed.success) throw new NotFoundError();
  return parsed.data;
}

/** @throws ValidationError */
export function parseQuery<T>(schema: z.ZodType<T>, url: URL): T {
  return parseOrThrow(schema, url.search === "" ? {} : queryValues(url), queryErrorMessage);
}

/** Collects the values of query parameters. A parameter that was sent more than once becomes a list. */
function queryValues(url: URL): RouteParams {
  const query = new Map<string, string | string[]>();
  let count = 0;
  for (const [name, value] of url.searchParams) {
    if (++count > MAX_QUERY_PARAMETERS) {
      const problem = `The URL has more than ${MAX_QUERY_PARAMETERS} query parameters.`;
      throw new ValidationError({ non_field_errors: [problem] });
    }
    if (!isStorable(value)) throw new ValidationError({ [name]: ["May not contain NUL."] });
    const earlier = query.get(name);
    query.set(name, earlier === undefined ? value : [earlier, value].flat());
  }
  return Object.fromEntries(query);
}

/**
 * Rejects a dry run of an endpoint that has none, because ignoring the parameter would make the change.
 *
 * @throws ValidationError
 */
export function rejectUndeclaredDryRun(request: Request, url: URL, declared: Shape | undefined): void {
  const writes = request.method !== "GET" && request.method !== "HEAD";
  if (!writes || (declared && "dry_run" in declared) || !url.searchParams.has("dry_run")) return;
  throw new ValidationError({ dry_run: ["This endpoint offers no dry run."] });
}

/** Reads X-Change-Reason, or returns null if it is missing or blank. */
export function parseChangeReason(request: Request): string | null {
  // Decode before trimming: the last byte of a UTF-8 letter may look like a Latin-1 space.
  const reason = decodeHeader(request.headers.get("x-change-reason") ?? "").trim() || null;
  if (reason && reason.length > MAX_REASON_LENGTH) {
    throw new BadRequestError("invalid_reason", `X-Change-Reason: at most ${MAX_REASON_LENGTH} characters.`);
  }
  return reason;
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Decodes a header. HTTP passes its bytes on as Latin-1, but almost every client sends UTF-8. */
function decodeHeader(header: string): string {
  try {
    return utf8.decode(Buffer.from(header, "latin1"));
  } catch {
    return header;
  }
}
