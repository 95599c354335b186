import { z } from "zod";

/** Equals the limit of the longest text field, because a page can have a hundred records with this data. */
const MAX_JSON_LENGTH = 100_000;

/** Arguments of `refine` that limit the size of any value. */
export const smallJson = [
  (value: unknown) => JSON.stringify(value).length <= MAX_JSON_LENGTH,
  { error: `Must have at most ${MAX_JSON_LENGTH} characters as JSON.` },
] as const;

/** Data that an API client stores on a record: the contract's `metadata`. */
export const metadata = z
  .object({
    data: z.record(z.string(), z.unknown()).refine(...smallJson),
    object_id: z.string().max(200),
    object_web_link: z.string().max(2000),
  })
  .partial()
  .nullable();

export type Metadata = z.output<typeof metadata>;
