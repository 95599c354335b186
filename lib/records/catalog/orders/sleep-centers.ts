import { defineCenters } from "@/lib/records/rules/ancillary-orders";

/** Places that carry out sleep orders. */
export const sleepCenters = defineCenters("sleep");
