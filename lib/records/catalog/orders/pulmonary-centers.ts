import { centersOf } from "@/lib/records/engine/ancillary-rules";

/** The places where pulmonary orders are carried out. */
export const pulmonaryCenters = centersOf("pulmonary");
