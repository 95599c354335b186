import { orderTestsOf } from "../ancillary-rules";

/** The tests that can be ordered of pulmonary centers. */
export const pulmonaryOrderTests = orderTestsOf("pulmonary");
