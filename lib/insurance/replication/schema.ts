import { z } from "zod";
import { ReplicationDirection, ReplicationStatus } from "@/generated/rows/enums";
import { integerParam } from "@/lib/platform/http/pagination";
import { timeParam } from "@/lib/platform/http/query";

export type { ReplicationStatus };

/** Filters of the list of replication events on staff pages. `open` means pending or failed. */
export const replicationFilter = {
  status: z.enum(["open", ...Object.values(ReplicationStatus)]).optional(),
  direction: z.enum(ReplicationDirection).optional(),
  patient: integerParam.optional(),
  from: timeParam({ zone: "required" }).optional(),
  to: timeParam({ zone: "required" }).optional(),
};
export type ReplicationFilter = z.output<z.ZodObject<typeof replicationFilter>>;

/** Query of the list of replication events on staff pages, newest first. */
export const replicationQuery = {
  ...replicationFilter,
  offset: integerParam.pipe(z.number().min(0).max(10_000_000)).default(0),
  limit: integerParam.pipe(z.number().min(1).max(100)).default(50),
};
