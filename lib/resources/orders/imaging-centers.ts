import { centersOf } from "../ancillary-rules";

/** The places where imaging orders are carried out. */
export const imagingCenters = centersOf("imaging");
