import { z } from "zod";

/** What an API client keeps of its own on a record, as the contract's `metadata`. */
export const metadata = z
  .object({
    data: z.record(z.string(), z.unknown()),
    object_id: z.string().max(200),
    object_web_link: z.string().max(2000),
  })
  .partial()
  .nullable();

export type Metadata = z.output<typeof metadata>;
