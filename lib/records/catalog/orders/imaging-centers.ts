import { defineCenters } from "@/lib/records/rules/ancillary-orders";

/** Places that carry out imaging orders. */
export const imagingCenters = defineCenters("imaging");
