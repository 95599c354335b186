import { z } from "zod";

const MOST_VALUES = 100;

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
