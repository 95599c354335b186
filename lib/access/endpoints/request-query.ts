import type { z } from "zod";
import { ValidationError } from "@/lib/platform/errors";
import { isStorable, queryErrorMessage } from "@/lib/platform/http/query";
import { parseOrThrow } from "@/lib/platform/http/validation";
import type { Shape } from "./declaration";

/** No endpoint has nearly as many. A URL has room for thousands, which would be slow to validate. */
const MAX_QUERY_PARAMETERS = 200;

/** Parameters of a request's query by name. A parameter that was sent more than once has a list of values. */
type SentQuery = Readonly<Record<string, string | string[]>>;

/**
 * Collects the parameters of a query.
 *
 * @param search the query with its question mark
 * @throws ValidationError
 */
export function readQuery(search: string): SentQuery {
  const query = new Map<string, string | string[]>();
  let count = 0;
  for (const [name, value] of new URLSearchParams(search)) {
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

/** @throws ValidationError */
export function parseQuery<T>(schema: z.ZodType<T>, sent: SentQuery): T {
  return parseOrThrow(schema, sent, queryErrorMessage);
}

/** Returns a function that returns the defaults of a query, parsed once. If a parameter is required, it throws a ValidationError. */
export function memoizeEmptyQuery<T extends object>(schema: z.ZodType<T>): () => T {
  let parsed: T | undefined;
  return () => {
    if (parsed === undefined) {
      parsed = parseQuery(schema, {});
      Object.freeze(parsed);
    }
    return parsed;
  };
}

/**
 * Rejects a dry run of an endpoint that has none, because ignoring the parameter would make the change.
 *
 * @throws ValidationError
 */
export function rejectUndeclaredDryRun({ method }: Request, sent: SentQuery, declared: Shape | undefined): void {
  const writes = method !== "GET" && method !== "HEAD";
  if (!writes || (declared && "dry_run" in declared) || !("dry_run" in sent)) return;
  throw new ValidationError({ dry_run: ["This endpoint offers no dry run."] });
}

/** Returns the names of parameters that an endpoint does not declare, and therefore ignores. */
export function ignoredParameters(sent: SentQuery, declared: Shape = {}): string[] {
  return Object.keys(sent).filter((name) => !Object.hasOwn(declared, name));
}

/** @throws ValidationError that names each ignored parameter */
export function rejectIgnoredParameters(names: readonly string[]): void {
  if (names.length === 0) return;
  throw new ValidationError(Object.fromEntries(names.map((name) => [name, ["Unknown parameter."]])));
}

const MAX_NAMES = 20;
const MAX_NAME_CHARACTERS = 50;

/** Formats names of parameters for a header, percent-encoded because they can contain anything. Further names are left out. */
export function formatParameterNames(names: readonly string[]): string {
  return names
    .slice(0, MAX_NAMES)
    .map((name) => encodeURIComponent(name.slice(0, MAX_NAME_CHARACTERS).toWellFormed()))
    .join(", ");
}
