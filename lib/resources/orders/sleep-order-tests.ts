import { orderTestsOf } from "../ancillary-rules";

/** The tests that can be ordered of sleep centers. */
export const sleepOrderTests = orderTestsOf("sleep");
