import { defineCenters } from "@/lib/records/rules/ancillary-orders";

/** The places where imaging orders are carried out. */
export const imagingCenters = defineCenters("imaging");
