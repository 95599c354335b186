import { z } from "zod";
import { wholeNumber } from "@/lib/platform/http/pagination";
import { timeParam } from "@/lib/platform/http/query";

/** How an event of the stream can stand. */
const STREAM_STATUSES = ["pending", "failed", "acknowledged", "discarded"] as const;
export type ReplicationStatus = (typeof STREAM_STATUSES)[number];

/** What the staff's list of the stream can be narrowed to; `open` is pending or failed. */
export const streamFilter = {
  status: z.enum(["open", ...STREAM_STATUSES]).optional(),
  direction: z.enum(["policies_to_patients", "patients_to_policies"]).optional(),
  patient: wholeNumber.optional(),
  from: timeParam({ zone: "required" }).optional(),
  to: timeParam({ zone: "required" }).optional(),
};
export type StreamFilter = z.output<z.ZodObject<typeof streamFilter>>;

/** Query of the staff's list of the stream: newest first. */
export const streamQuery = {
  ...streamFilter,
  offset: wholeNumber.pipe(z.number().min(0).max(10_000_000)).default(0),
  limit: wholeNumber.pipe(z.number().min(1).max(100)).default(50),
};
