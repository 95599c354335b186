import { orderTestsOf } from "../ancillary-rules";

/** The tests that can be ordered of imaging centers. */
export const imagingOrderTests = orderTestsOf("imaging");
