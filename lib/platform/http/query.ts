import { z } from "zod";
import { calendarDate, issueMessage, validate } from "./validation";

/** Values of a parameter that may be repeated. */
export const MAX_VALUES = 100;

const ZONE = /(?:Z|[+-]\d\d:\d\d)$/;
/** No time zone is this far from UTC. */
const FAR_OFFSET = /[+-](?:1[6-9]|2\d):\d\d$/;
/** A zone whose `+` was not percent-encoded in a URL, so that it was read as a space. */
const UNESCAPED_PLUS = /T\d\d:\d\d(?::\d\d(?:\.\d+)?)? \d\d:\d\d$/;
const YEAR = /^(?!0000)\d{4}-/;

/** Uses the message only for texts. For other values, the default message names the type. */
const timeError =
  (message: string) =>
  ({ input }: { input?: unknown }) => {
    if (typeof input !== "string") return;
    return UNESCAPED_PLUS.test(input) ? `${message} In a URL, write + as %2B.` : message;
  };

/**
 * Parses an ISO 8601 time into the form that is stored and returned: UTC with three decimals and a year from 1 to 9999. Further decimals
 * are cut, because PostgreSQL would round them, possibly to the year 10000. A time without a zone is UTC, if that is allowed.
 */
export function timeParam(options: { zone: "required" | "optional" }) {
  const error = options.zone === "required" ? "Must be an ISO 8601 time with a zone." : "Must be an ISO 8601 time.";
  return z.iso
    .datetime({ offset: true, local: options.zone === "optional", error: timeError(error) })
    .refine((time) => !FAR_OFFSET.test(time), { error })
    .transform((time) => new Date(ZONE.test(time) ? time : `${time}Z`).toISOString())
    .refine((time) => YEAR.test(time), { error });
}

/** Returns whether a string is a valid time in the form that responses use: ISO 8601 in UTC, three decimals, years 1 to 9999. */
export function isInstant(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text) || !YEAR.test(text)) return false;
  const time = new Date(text);
  return !Number.isNaN(time.getTime()) && time.toISOString() === text;
}

/** Returns whether the database can store a string, which can't contain NUL or unpaired surrogates. */
export function isStorable(text: string): boolean {
  return !text.includes("\u0000") && text.isWellFormed();
}

/** The query of a page's URL, as Next passes it. */
export type PageParams = Readonly<Record<string, string | string[] | undefined>>;

/** Parses the query of a page like that of an API call. Returns null if it is invalid, because the page still has to be shown. */
export function parsePageQuery<S extends z.ZodRawShape>(shape: S, sent: PageParams): z.output<z.ZodObject<S>> | null {
  if (Object.values(sent).some((value) => [value ?? []].flat().some((text) => !isStorable(text)))) return null;
  const parsed = z.object(shape).safeParse(sent);
  return parsed.success ? parsed.data : null;
}

/** Does the same, but replaces an invalid query with the default one. */
export function pageQueryOrDefaults<S extends z.ZodRawShape>(shape: S, sent: PageParams): z.output<z.ZodObject<S>> {
  return parsePageQuery(shape, sent) ?? z.object(shape).parse({});
}

const BOUND_WORDS = { gt: "after", gte: "at or after", lt: "before", lte: "at or before" };
/** A lower or upper bound, as the suffix of a parameter: `date__gt`. */
export type Bound = keyof typeof BOUND_WORDS;
/** How a filter compares its value with a field. */
export type Comparison = "eq" | Bound | "isnull" | "isnotnull" | "words" | "begins_lte" | "ends_gte";

/** Returns whether a comparison is a lower or upper bound. */
export function isBound(word: string): word is Bound {
  return Object.hasOwn(BOUND_WORDS, word);
}

/** Describes a filter for the API description, in Markdown. `of` names the field. */
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
      return `With \`true\`, only records without ${of}. With \`false\`, only records with it.`;
    case "isnotnull":
      return `With \`true\`, only records with ${of}. With \`false\`, only records without it.`;
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
 * Parses a bound of a time field into the instant to compare with, to the millisecond like stored times. A date means its whole day in
 * UTC: `gt` starts after its end, and `lte` includes all of it.
 *
 * @param of the field, in Markdown
 */
export function timeBound(of: string, bound: Bound) {
  const instant = bound === "gt" || bound === "lte" ? "T23:59:59.999Z" : "T00:00:00.000Z";
  const includes = bound === "gte" || bound === "lte" ? "includes" : "excludes";
  return z
    .union([timeParam({ zone: "optional" }), calendarDate.transform((date) => `${date}${instant}`)], {
      error: timeError("Must be an ISO 8601 time, or a date YYYY-MM-DD."),
    })
    .meta({
      description: `${filterDescription({ of, bound })} A date without a time ${includes} that whole day in UTC.`,
    });
}

/** Returns the four bounds of a time field: `field__gt`, `__gte`, `__lt` and `__lte`. */
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

/** Returns the error message of a parameter. A repeated parameter is parsed as a list. */
export function queryErrorMessage(issue: z.core.$ZodRawIssue): string {
  return Array.isArray(issue.input) && issue.code !== "custom" ? "May be given only once." : issueMessage(issue);
}

/** Schemas of the single values of repeatable parameters. */
const repeated = new WeakMap<z.core.$ZodType, z.ZodType>();

/** Returns the schema of a single value of a repeatable parameter, or undefined for other parameters. */
export function repeatedValueSchema(schema: z.core.$ZodType): z.ZodType | undefined {
  return repeated.get(schema);
}

/** Returns a query parameter that can be repeated (`?practice=1&practice=2`), as a list of values. */
export function repeatable<T>(value: z.ZodType<T, string>) {
  const list = z.union([z.string(), z.array(z.string())]).transform((sent, context) => {
    const given = [sent].flat();
    const results = given.map((text) => validate(value, text));
    const firstError = results.find(({ success }) => !success)?.error?.issues[0]?.message;
    const problem = given.length > MAX_VALUES ? `Must have at most ${MAX_VALUES} values.` : firstError;
    if (problem === undefined) return results.map(({ data }) => data as T);
    context.addIssue({ code: "custom", message: problem });
    return z.NEVER;
  });
  repeated.set(list, value);
  return list;
}

/** Returns the schema of a query parameter that is `true` or `false`, and `false` by default. */
export function flagQuery(description: string) {
  return z
    .enum(["true", "false"])
    .default("false")
    .transform((value) => value === "true")
    .describe(description);
}
