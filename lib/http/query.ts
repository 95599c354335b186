import { z } from "zod";
import { calendarDate } from "@/lib/insurance/fields";

const MOST_VALUES = 100;

/** PostgreSQL reads no more of a time, though ISO 8601 allows any number of decimals. */
const LONGEST_TIME = 40;
/** Beyond this offset from UTC, PostgreSQL reads no time; no place on Earth is. */
const FAR_OFFSET = /[+-](?:1[6-9]|2\d):\d\d$/;

/** An ISO 8601 time in a query string, as PostgreSQL reads it too. One without a zone, where that is allowed, is UTC. */
export function timeParam(options: { zone: "required" | "optional" }) {
  const error = options.zone === "required" ? "Must be an ISO 8601 time with a zone." : "Must be an ISO 8601 time.";
  const time = z.iso.datetime({ offset: true, local: options.zone === "optional", error });
  // PostgreSQL has no year 0.
  const readable = (value: string) =>
    value.length <= LONGEST_TIME && !value.startsWith("0000") && !FAR_OFFSET.test(value);
  return time.refine(readable, { error });
}

/** The four bounds of a time field, as the contract names them: `field__gt`, `__gte`, `__lt`, `__lte`. */
export function timeRange<const F extends string>(field: F) {
  const time = z
    .union([timeParam({ zone: "optional" }), calendarDate], { error: "Must be an ISO 8601 time or a date." })
    .optional();
  const bounds = ["gt", "gte", "lt", "lte"].map((bound) => [`${field}__${bound}`, time]);
  return Object.fromEntries(bounds) as Record<`${F}__${"gt" | "gte" | "lt" | "lte"}`, typeof time>;
}

/** A query parameter that may be given once or repeated (`?practice=1&practice=2`): a list of its values. */
export function repeatable<T>(value: z.ZodType<T, string>) {
  return z.union([z.string(), z.array(z.string())]).transform((sent, context) => {
    const given = [sent].flat();
    const results = given.map((text) => value.safeParse(text));
    const refused = results.find(({ success }) => !success)?.error?.issues[0]?.message;
    const problem = given.length > MOST_VALUES ? `Must have at most ${MOST_VALUES} values.` : refused;
    if (problem === undefined) return results.map(({ data }) => data as T);
    context.addIssue({ code: "custom", message: problem });
    return z.NEVER;
  });
}
