import { answerOf, dryRunAnswerOf } from "./answers";
import type { Declaration, Shape } from "./handler";
import type { Reply } from "./reply";

type Declared = Pick<Declaration<Shape, Shape, unknown>, "name" | "query" | "response" | "status">;

/** An answer is not what its endpoint declares: a fault of ours, that tests and development are to fail on. */
export class UndeclaredAnswerError extends Error {
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
export function requireDeclaredAnswer(declared: Declared, reply: Reply, { dryRun }: { dryRun: boolean }): void {
  const status = reply.status ?? declared.status;
  if (reply.image || reply.file || reply.download || reply.gzipped || reply.text !== undefined) return;
  // What the staff side's pages get is between them and their own code.
  if ("role" in declared || (!dryRun && status !== declared.status)) return;
  const schema = dryRun ? dryRunAnswerOf(declared) : answerOf(declared);
  if (!schema) return;
  const told: unknown = reply.body === undefined ? undefined : JSON.parse(JSON.stringify(reply.body));
  const parsed = schema.safeParse(told);
  const problems = parsed.success
    ? differencesOf(told, parsed.data, "")
    : parsed.error.issues.map(({ path, message }) => `${path.join(".") || "the body"}: ${message}`);
  if (problems.length > 0) throw new UndeclaredAnswerError(declared.name, problems.slice(0, MOST_TOLD));
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
