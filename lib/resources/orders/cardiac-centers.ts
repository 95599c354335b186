import { centersOf } from "../ancillary-rules";

/** The places where cardiac orders are carried out. */
export const cardiacCenters = centersOf("cardiac");
