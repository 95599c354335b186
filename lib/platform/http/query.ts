import { z } from "zod";
import { calendarDate } from "./field-types";
import { issueMessage, validate } from "./validation";

/** Of a parameter that may be repeated. */
export const MAX_VALUES = 100;

const ZONE = /(?:Z|[+-]\d\d:\d\d)$/;
/** No place on Earth is so far from UTC. */
const FAR_OFFSET = /[+-](?:1[6-9]|2\d):\d\d$/;
const YEAR = /^(?!0000)\d{4}-/;

/** A message for a text that is wrong: of what is no text at all, that is told. */
const ofText =
  (message: string) =>
  ({ input }: { input?: unknown }) =>
    typeof input === "string" ? message : undefined;

/**
 * An ISO 8601 time that a client sends, as it is kept and answered: in UTC, with its first three decimals (PostgreSQL would
 * round the others, up to the year 10000) and a year from 1 to 9999. One without a zone, where that is allowed, is UTC.
 */
export function timeParam(options: { zone: "required" | "optional" }) {
  const error = options.zone === "required" ? "Must be an ISO 8601 time with a zone." : "Must be an ISO 8601 time.";
  return z.iso
    .datetime({ offset: true, local: options.zone === "optional", error: ofText(error) })
    .refine((time) => !FAR_OFFSET.test(time), { error })
    .transform((time) => new Date(ZONE.test(time) ? time : `${time}Z`).toISOString())
    .refine((time) => YEAR.test(time), { error });
}

/**
 * Whether a text is a time exactly as it is answered: ISO 8601 in UTC with three decimals, a day the calendar has, and a
 * year from 1 to 9999.
 */
export function isInstant(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text) || !YEAR.test(text)) return false;
  const time = new Date(text);
  return !Number.isNaN(time.getTime()) && time.toISOString() === text;
}

/** Whether the database can hold a text: no NUL, no half of a surrogate pair. */
export function isStorable(text: string): boolean {
  return !text.includes("\u0000") && text.isWellFormed();
}

/** What Next hands a page of its URL's query. */
export type PageParams = Readonly<Record<string, string | string[] | undefined>>;

/**
 * The query of a page, checked by the shape its calls are checked by; null where it is wrong. Who opens a page by a wrong
 * URL gets the page all the same: what it shows then is the page's to say.
 */
export function parsePageQuery<S extends z.ZodRawShape>(shape: S, sent: PageParams): z.output<z.ZodObject<S>> | null {
  if (Object.values(sent).some((value) => [value ?? []].flat().some((text) => !isStorable(text)))) return null;
  const parsed = z.object(shape).safeParse(sent);
  return parsed.success ? parsed.data : null;
}

/** The same for a page that shows its list as it stands by default where the query is wrong. */
export function pageQueryOrDefaults<S extends z.ZodRawShape>(shape: S, sent: PageParams): z.output<z.ZodObject<S>> {
  return parsePageQuery(shape, sent) ?? z.object(shape).parse({});
}

const BOUND_WORDS = { gt: "after", gte: "at or after", lt: "before", lte: "at or before" };
/** How a list is bounded by a field, as the contract's parameters end. */
export type Bound = keyof typeof BOUND_WORDS;
/** How the value of a filter compares with what records hold. */
export type Comparison = "eq" | Bound | "isnull" | "isnotnull" | "words" | "begins_lte" | "ends_gte";

/** Whether a filter bounds its field, rather than naming its value. */
export function isBound(word: string): word is Bound {
  return Object.hasOwn(BOUND_WORDS, word);
}

/** What the API description says of a filter, in Markdown. `of`: what of a record it is held against. */
export function filterDescription({
  of,
  bound,
  repeats,
}: {
  of: string;
  bound: Comparison;
  repeats?: boolean;
}): string {
  switch (bound) {
    case "isnull":
      return `Only records whose ${of} is empty (\`true\`), or is not (\`false\`).`;
    case "isnotnull":
      return `Only records whose ${of} is not empty (\`true\`), or is (\`false\`).`;
    case "words":
      return `Only records with words that begin with each of these, in ${of}.`;
    case "begins_lte":
      return `Only records whose ${of} begins on this day or before.`;
    case "ends_gte":
      return `Only records whose ${of} ends on this day or after, or not at all.`;
    case "eq":
      return repeats ? `Only records with one of these values of ${of}.` : `Only records with this ${of}.`;
    default:
      return `Only records whose ${of} is ${BOUND_WORDS[bound]} this.`;
  }
}

/**
 * A bound of a time field: an ISO 8601 time, or a date alone, which stands for its whole day in UTC. What is after a day comes
 * when it has ended, and what is at or before it may be anywhere in it. Brought to the instant values are compared with, which
 * is exact: times are kept by the millisecond.
 *
 * @param of what is bounded, in Markdown
 */
export function timeBound(of: string, bound: Bound) {
  const instant = bound === "gt" || bound === "lte" ? "T23:59:59.999Z" : "T00:00:00.000Z";
  const day = bound === "gte" || bound === "lte" ? "included" : "not included";
  return z
    .union([timeParam({ zone: "optional" }), calendarDate.transform((date) => `${date}${instant}`)], {
      error: ofText("Must be an ISO 8601 time, or a date YYYY-MM-DD."),
    })
    .meta({ description: `${filterDescription({ of, bound })} A date alone is its whole day in UTC, ${day}.` });
}

/** The four bounds of a time field, as the contract names them: `field__gt`, `__gte`, `__lt`, `__lte`. */
export function timeRange<const F extends string>(field: F) {
  const bounds = (["gt", "gte", "lt", "lte"] as const).map((bound) => [
    `${field}__${bound}`,
    timeBound(`\`${field}\``, bound).optional(),
  ]);
  return Object.fromEntries(bounds) as Record<`${F}__${Bound}`, z.ZodOptional<ReturnType<typeof timeBound>>>;
}

/** Accepts one of these words in any case, because filters ignore case (ADR 0037), and returns it as spelled here. */
export function enumParam<const W extends string>(words: readonly W[]) {
  const known = new Map(words.map((word) => [word.toLowerCase(), word]));
  return z
    .string()
    .transform((input, context): W => {
      const word = known.get(input.toLowerCase());
      if (word !== undefined) return word;
      context.addIssue({ code: "invalid_value", values: [...words], input });
      return z.NEVER;
    })
    .meta({ enum: [...words] });
}

/** What is wrong with a parameter. One that was sent more than once is a list of its values. */
export function queryErrorMessage(issue: z.core.$ZodRawIssue): string {
  return Array.isArray(issue.input) && issue.code !== "custom" ? "May be given only once." : issueMessage(issue);
}

/** What each value of a repeatable parameter is. */
const repeated = new WeakMap<z.ZodType, z.ZodType>();

/** The schema of one value of a parameter that may be repeated; undefined for any other. */
export function repeatedValueSchema(schema: z.ZodType): z.ZodType | undefined {
  return repeated.get(schema);
}

/** A query parameter that may be given once or repeated (`?practice=1&practice=2`): a list of its values. */
export function repeatable<T>(value: z.ZodType<T, string>) {
  const list = z.union([z.string(), z.array(z.string())]).transform((sent, context) => {
    const given = [sent].flat();
    const results = given.map((text) => validate(value, text));
    const refused = results.find(({ success }) => !success)?.error?.issues[0]?.message;
    const problem = given.length > MAX_VALUES ? `Must have at most ${MAX_VALUES} values.` : refused;
    if (problem === undefined) return results.map(({ data }) => data as T);
    context.addIssue({ code: "custom", message: problem });
    return z.NEVER;
  });
  repeated.set(list, value);
  return list;
}
