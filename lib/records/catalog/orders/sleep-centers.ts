import { centersOf } from "@/lib/records/rules/ancillary-orders";

/** The places where sleep orders are carried out. */
export const sleepCenters = centersOf("sleep");
