import { defineCenters } from "@/lib/records/rules/ancillary-orders";

/** The places where sleep orders are carried out. */
export const sleepCenters = defineCenters("sleep");
