import { z } from "zod";
import { type FieldErrors, ValidationError } from "@/lib/platform/errors";
import { property } from "@/lib/platform/objects";

type Issue = z.core.$ZodIssue;
type RawIssue = z.core.$ZodRawIssue;

/**
 * Checks a value. What is wrong with it is told in this API's words: a schema's own where it has some, else those of `words`,
 * never Zod's.
 */
export function validate<S extends z.ZodType>(
  schema: S,
  value: unknown,
  words: (issue: RawIssue) => string = issueMessage,
): z.ZodSafeParseResult<z.output<S>> {
  return schema.safeParse(value, { reportInput: true, error: words });
}

/** For a body of up to so many values, everything that is wrong is reported. */
const MOST_VALUES_TOLD = 2_000;

/**
 * Checks a body of so many values as `parseOrThrow` does. For a large one it reports only the first problem of each field: each
 * entry of its lists may have a dozen, and describing them all would block every other request for seconds.
 */
export function parseBody<S extends z.ZodType>(schema: S, value: unknown, count: number): z.output<S> {
  if (count <= MOST_VALUES_TOLD) return parseOrThrow(schema, value);
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

/** The same, giving the value typed, or throwing the field errors of design §4. */
export function parseOrThrow<S extends z.ZodType>(
  schema: S,
  value: unknown,
  words?: (issue: RawIssue) => string,
): z.output<S> {
  const result = validate(schema, value, words);
  if (result.success) return result.data;
  throw new ValidationError(toFieldErrors(result.error.issues));
}

/** The issues of a `check` as messages nested like the body; whole-body problems stand under `non_field_errors`. */
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
    node.messages.push(absenceOf(issue) ?? issue.message);
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
  const own = node.messages.length > 0 ? [["non_field_errors", node.messages] as const] : [];
  // Object.fromEntries, for a client may call its field `__proto__`.
  return Object.fromEntries([...own, ...[...node.children].map(([key, child]) => [key, render(child)] as const)]);
}

/**
 * One issue about several unknown keys becomes one issue a key, so that each is named at its own place; one about a value that
 * could have been of several forms becomes what is wrong with it in the form it was meant to have.
 */
function expand(issue: Issue): Issue[] {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({ ...issue, path: [...issue.path, key], keys: [key] }));
  }
  const isOurs = issue.code === "invalid_union" && issue.message === issueMessage(issue as RawIssue);
  const meant = isOurs && formMeant(issue.errors);
  if (!meant) return [issue];
  return meant.flatMap((inner) => expand({ ...inner, path: [...issue.path, ...inner.path] }));
}

/** What is wrong in the one form whose kind the value has. */
function formMeant(forms: readonly (readonly Issue[])[]): readonly Issue[] | undefined {
  const [meant, ...others] = forms.filter((issues) => kindMissed(issues) === null);
  return others.length === 0 ? meant : undefined;
}

const KINDS: Record<string, string> = {
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

/** In words, the kind a value had to be of and is not; null where it is of that kind, and wrong otherwise. */
function kindMissed(issues: readonly Issue[]): string | null {
  const whole = issues.find(({ path }) => path.length === 0);
  if (whole?.code === "invalid_type") return KINDS[whole.expected] ?? "of another type";
  return whole?.code === "invalid_value" ? oneOf(whole.values) : null;
}

const oneOf = (values: readonly unknown[]) => `one of ${values.map((value) => JSON.stringify(value)).join(", ")}`;

/** What there is not, whatever a schema has to say of its values. */
function absenceOf({ code, input }: Issue): string | null {
  if (code !== "invalid_type" && code !== "invalid_value" && code !== "invalid_union") return null;
  return input === undefined ? "This field is required." : input === null ? "This field may not be null." : null;
}

const FORMATS: Record<string, string> = {
  date: "Must be a calendar date, YYYY-MM-DD.",
  datetime: "Must be an ISO 8601 time.",
  time: "Must be a time of day.",
  email: "Must be an e-mail address.",
  url: "Must be a URL.",
  uuid: "Must be a UUID.",
};

/** What is wrong with a value, for people: one sentence, which does not name the field. */
export function issueMessage(issue: RawIssue): string {
  switch (issue.code) {
    case "unrecognized_keys":
      return "Unknown field.";
    case "invalid_type":
      return `Must be ${KINDS[issue.expected] ?? "of another type"}.`;
    case "invalid_value":
      return `Must be ${oneOf(issue.values)}.`;
    case "invalid_format":
      return FORMATS[issue.format] ?? "Is not in the right form.";
    case "too_big":
      return limitMessage(issue.origin, issue.maximum, issue.inclusive === false ? "less than" : "at most");
    case "too_small":
      return limitMessage(issue.origin, issue.minimum, issue.inclusive === false ? "greater than" : "at least");
    case "not_multiple_of":
      return `Must be a multiple of ${issue.divisor}.`;
    case "invalid_union": {
      if (issue.options) return `Must be ${oneOf(issue.options as readonly unknown[])}.`;
      const kinds = new Set(issue.errors.flatMap((form) => kindMissed(form) ?? []));
      return kinds.size === 0 ? "Is not in any of the forms it may have." : `Must be ${[...kinds].join(" or ")}.`;
    }
    case "invalid_key":
      return "Is not a name that may stand here.";
    default:
      return "Is not valid.";
  }
}

function limitMessage(origin: string, limit: number | bigint, words: string): string {
  const isOne = Number(limit) === 1;
  if (origin === "string") {
    return isOne && words === "at least"
      ? "May not be blank."
      : `Must have ${words} ${limit} ${isOne ? "character" : "characters"}.`;
  }
  const isList = origin === "array" || origin === "set" || origin === "map";
  return isList ? `Must have ${words} ${limit} ${isOne ? "entry" : "entries"}.` : `Must be ${words} ${limit}.`;
}
