import { centersOf } from "@/lib/records/engine/ancillary-rules";

/** The places where sleep orders are carried out. */
export const sleepCenters = centersOf("sleep");
