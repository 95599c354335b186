import { defineCenters } from "@/lib/records/rules/ancillary-orders";

/** The places where cardiac orders are carried out. */
export const cardiacCenters = defineCenters("cardiac");
