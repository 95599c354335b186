import type { z } from "zod";
import { type FieldErrors, ValidationError } from "@/lib/errors";

type Issue = z.core.$ZodIssue;

/** Checks a value and gives it typed, or throws the field errors of design §4. */
export function parseOrThrow<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  throw new ValidationError(toFieldErrors(result.error.issues));
}

/** Zod issues as messages nested like the body; whole-body problems stand under `non_field_errors`. */
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
    node.messages.push(messageOf(issue));
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

/** One issue about several unknown keys becomes one issue a key, so that each is named at its own place. */
function expand(issue: Issue): Issue[] {
  if (issue.code !== "unrecognized_keys") return [issue];
  return issue.keys.map((key) => ({ ...issue, path: [...issue.path, key], keys: [key] }));
}

const TYPE_NAMES: Record<string, string> = {
  string: "a string",
  number: "a number",
  int: "an integer",
  boolean: "true or false",
  array: "a list",
  object: "an object",
};

function messageOf(issue: Issue): string {
  if (issue.code === "unrecognized_keys") return "Unknown field.";
  if (issue.code === "invalid_type") {
    if (issue.input === undefined) return "This field is required.";
    if (issue.input === null) return "This field may not be null.";
    return `Must be ${TYPE_NAMES[issue.expected] ?? issue.expected}.`;
  }
  if (issue.code === "invalid_value") {
    if (issue.input === undefined) return "This field is required.";
    return `Must be one of ${issue.values.map((value) => JSON.stringify(value)).join(", ")}.`;
  }
  if (issue.code === "too_big" && issue.origin === "string") return `Must have at most ${issue.maximum} characters.`;
  if (issue.code === "too_small" && issue.origin === "string" && issue.minimum === 1) return "May not be blank.";
  if (issue.code === "too_big" && issue.origin === "array") return `Must have at most ${issue.maximum} entries.`;
  if (issue.code === "too_big") return `Must be at most ${issue.maximum}.`;
  if (issue.code === "too_small" && issue.inclusive === false) return `Must be greater than ${issue.minimum}.`;
  if (issue.code === "too_small" && issue.origin !== "string") return `Must be at least ${issue.minimum}.`;
  return issue.message;
}
