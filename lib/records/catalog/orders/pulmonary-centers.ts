import { defineCenters } from "@/lib/records/rules/ancillary-orders";

/** Places that carry out pulmonary orders. */
export const pulmonaryCenters = defineCenters("pulmonary");
