import { centersOf } from "@/lib/records/engine/ancillary-rules";

/** The places where imaging orders are carried out. */
export const imagingCenters = centersOf("imaging");
