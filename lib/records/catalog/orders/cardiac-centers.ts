import { centersOf } from "@/lib/records/engine/ancillary-rules";

/** The places where cardiac orders are carried out. */
export const cardiacCenters = centersOf("cardiac");
