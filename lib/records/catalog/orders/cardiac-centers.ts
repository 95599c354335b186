import { defineCenters } from "@/lib/records/rules/ancillary-orders";

/** Places that carry out cardiac orders. */
export const cardiacCenters = defineCenters("cardiac");
