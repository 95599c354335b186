import { defineCenters } from "@/lib/records/rules/ancillary-orders";

/** The places where pulmonary orders are carried out. */
export const pulmonaryCenters = defineCenters("pulmonary");
