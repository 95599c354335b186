import { orderTestsOf } from "@/lib/records/engine/ancillary-rules";

/** The tests that can be ordered of pulmonary centers. */
export const pulmonaryOrderTests = orderTestsOf("pulmonary");
