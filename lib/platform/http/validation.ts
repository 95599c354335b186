import { z } from "zod";
import { type FieldErrors, ValidationError } from "@/lib/platform/errors";
import { property } from "@/lib/platform/objects";

type Issue = z.core.$ZodIssue;
type RawIssue = z.core.$ZodRawIssue;

/** Validates a value. Messages come from the schema or from `message`, never from Zod. */
export function validate<S extends z.ZodType>(
  schema: S,
  value: unknown,
  message: (issue: RawIssue) => string = issueMessage,
): z.ZodSafeParseResult<z.output<S>> {
  return schema.safeParse(value, { reportInput: true, error: message });
}

/** Bodies with more values get only the first error of each field. */
const MAX_VALUES_WITH_ALL_ERRORS = 2_000;

/**
 * Validates a body like `parseOrThrow`. For a large one, it reports only the first error of each field, because describing a dozen for
 * each entry of long lists would block other requests for seconds.
 *
 * @param count the number of values in the body
 */
export function parseBody<S extends z.ZodType>(schema: S, value: unknown, count: number): z.output<S> {
  if (count <= MAX_VALUES_WITH_ALL_ERRORS) return parseOrThrow(schema, value);
  const abortEarly = { reportInput: true, error: issueMessage, abortEarly: true };
  const result = schema.safeParse(value, abortEarly);
  if (result.success) return result.data;
  const shape: Record<string, z.ZodType> = schema instanceof z.ZodObject ? schema.shape : {};
  const issues = Object.entries(shape).flatMap(([name, field]) => {
    const found = field.safeParse(property(value, name), abortEarly).error?.issues ?? [];
    return found.map((issue) => ({ ...issue, path: [name, ...issue.path] }));
  });
  throw new ValidationError(toFieldErrors(issues.length > 0 ? issues : result.error.issues));
}

/** Returns the parsed value. @throws ValidationError with the errors by field */
export function parseOrThrow<S extends z.ZodType>(
  schema: S,
  value: unknown,
  message?: (issue: RawIssue) => string,
): z.output<S> {
  const result = validate(schema, value, message);
  if (result.success) return result.data;
  throw new ValidationError(toFieldErrors(result.error.issues));
}

/** Nests messages like the body. Errors of the whole body are under `non_field_errors`. */
export function toFieldErrors(issues: readonly Issue[]): FieldErrors | FieldErrors[] {
  const root: Node = { messages: [], children: new Map() };
  for (const issue of issues.flatMap(expand)) {
    let node = root;
    for (const key of issue.path) {
      const step = typeof key === "number" ? key : String(key);
      let child = node.children.get(step);
      if (!child) {
        child = { messages: [], children: new Map() };
        node.children.set(step, child);
      }
      node = child;
    }
    node.messages.push(absenceMessage(issue) ?? issue.message);
  }
  return root.children.size === 0 ? { non_field_errors: root.messages } : (render(root) as FieldErrors | FieldErrors[]);
}

interface Node {
  messages: string[];
  children: Map<string | number, Node>;
}

function render(node: Node): string[] | FieldErrors | FieldErrors[] {
  if (node.children.size === 0) return node.messages;
  const keys = [...node.children.keys()];
  if (keys.every((key) => typeof key === "number")) {
    const length = keys.reduce((longest, key) => Math.max(longest, key + 1), 0);
    const list: (FieldErrors | string[])[] = Array.from({ length }, () => ({}));
    for (const [index, child] of node.children) list[index as number] = render(child) as FieldErrors;
    return list as FieldErrors[];
  }
  const nodeErrors = node.messages.length > 0 ? [["non_field_errors", node.messages] as const] : [];
  // Object.fromEntries is safe if a client calls a field `__proto__`.
  return Object.fromEntries([
    ...nodeErrors,
    ...[...node.children].map(([key, child]) => [key, render(child)] as const),
  ]);
}

/** Splits an issue about several unknown keys by key, and replaces one about a union by the issues of the option that was meant. */
function expand(issue: Issue): Issue[] {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({ ...issue, path: [...issue.path, key], keys: [key] }));
  }
  const isOurs = issue.code === "invalid_union" && issue.message === issueMessage(issue as RawIssue);
  const meant = isOurs && meantOption(issue.errors);
  if (!meant) return [issue];
  return meant.flatMap((inner) => expand({ ...inner, path: [...issue.path, ...inner.path] }));
}

/** Returns the issues of the only option that has the value's type. */
function meantOption(options: readonly (readonly Issue[])[]): readonly Issue[] | undefined {
  const [meant, ...others] = options.filter((issues) => expectedType(issues) === null);
  return others.length === 0 ? meant : undefined;
}

const TYPE_NAMES: Record<string, string> = {
  string: "a string",
  number: "a number",
  int: "an integer",
  boolean: "true or false",
  array: "a list",
  tuple: "a list",
  object: "an object",
  record: "an object",
  null: "null",
  Uint8Array: "a file of a multipart form",
};

/** Names the type that a value should have, or returns null if it has that type and another error. */
function expectedType(issues: readonly Issue[]): string | null {
  const whole = issues.find(({ path }) => path.length === 0);
  if (whole?.code === "invalid_type") return TYPE_NAMES[whole.expected] ?? "of another type";
  return whole?.code === "invalid_value" ? oneOf(whole.values) : null;
}

const oneOf = (values: readonly unknown[]) => `one of ${values.map((value) => JSON.stringify(value)).join(", ")}`;

/** Returns the message for a missing or null value, which takes precedence over the schema's own. */
function absenceMessage({ code, input }: Issue): string | null {
  if (code !== "invalid_type" && code !== "invalid_value" && code !== "invalid_union") return null;
  return input === undefined ? "This field is required." : input === null ? "This field may not be null." : null;
}

const FORMATS: Record<string, string> = {
  date: "Must be a calendar date, YYYY-MM-DD.",
  datetime: "Must be an ISO 8601 time.",
  time: "Must be a time of day.",
  email: "Must be an email address.",
  url: "Must be a URL.",
  uuid: "Must be a UUID.",
};

/** Returns the message for an issue: one sentence that does not name the field. */
export function issueMessage(issue: RawIssue): string {
  switch (issue.code) {
    case "unrecognized_keys":
      return "Unknown field.";
    case "invalid_type":
      return `Must be ${TYPE_NAMES[issue.expected] ?? "of another type"}.`;
    case "invalid_value":
      return `Must be ${oneOf(issue.values)}.`;
    case "invalid_format":
      return FORMATS[issue.format] ?? "Has an invalid format.";
    case "too_big":
      return limitMessage(issue.origin, issue.maximum, issue.inclusive === false ? "less than" : "at most");
    case "too_small":
      return limitMessage(issue.origin, issue.minimum, issue.inclusive === false ? "greater than" : "at least");
    case "not_multiple_of":
      return `Must be a multiple of ${issue.divisor}.`;
    case "invalid_union": {
      if (issue.options) return `Must be ${oneOf(issue.options as readonly unknown[])}.`;
      const types = new Set(issue.errors.flatMap((option) => expectedType(option) ?? []));
      return types.size === 0 ? "Matches none of the allowed forms." : `Must be ${[...types].join(" or ")}.`;
    }
    case "invalid_key":
      return "Is not a valid name.";
    default:
      return "Is not valid.";
  }
}

function limitMessage(origin: string, limit: number | bigint, comparison: string): string {
  const isOne = Number(limit) === 1;
  if (origin === "string") {
    return isOne && comparison === "at least"
      ? "May not be blank."
      : `Must have ${comparison} ${limit} ${isOne ? "character" : "characters"}.`;
  }
  const isList = origin === "array" || origin === "set" || origin === "map";
  return isList
    ? `Must have ${comparison} ${limit} ${isOne ? "entry" : "entries"}.`
    : `Must be ${comparison} ${limit}.`;
}

/** A calendar date `YYYY-MM-DD`; PostgreSQL has no year 0. */
export const calendarDate = z.iso
  .date({ error: (issue) => (typeof issue.input === "string" ? "Must be a calendar date, YYYY-MM-DD." : undefined) })
  .refine((date) => !date.startsWith("0000"), { error: "Must be a calendar date, YYYY-MM-DD." });

/** The format of strings that are decimals. Clients can also send numbers (`toDeclaredForm`). */
export const DECIMAL_FORMAT = "decimal";
/** The format of strings that are IANA time zones. */
export const TIMEZONE_FORMAT = "timezone";

const NO_EMAIL = "Must be an email address.";

/** An email address. Its length is checked first, because a string of several megabytes would overflow the pattern's stack. */
export const email = z.string(NO_EMAIL).max(254, { abort: true }).check(z.email(NO_EMAIL));

/** An ID of another record, as JSON carries it. */
export const reference = z.int().positive();
