import { z } from "zod";

/** As much as the longest text has: a page of a list may have a hundred of them. */
const LARGEST_JSON = 100_000;

/** A check of values of any kind by their size, for `refine`. */
export const smallJson = [
  (value: unknown) => JSON.stringify(value).length <= LARGEST_JSON,
  { error: `Must have at most ${LARGEST_JSON} characters as JSON.` },
] as const;

/** What an API client keeps of its own on a record, as the contract's `metadata`. */
export const metadata = z
  .object({
    data: z.record(z.string(), z.unknown()).refine(...smallJson),
    object_id: z.string().max(200),
    object_web_link: z.string().max(2000),
  })
  .partial()
  .nullable();

export type Metadata = z.output<typeof metadata>;
