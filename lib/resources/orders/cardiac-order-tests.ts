import { orderTestsOf } from "../ancillary-rules";

/** The tests that can be ordered of cardiac centers. */
export const cardiacOrderTests = orderTestsOf("cardiac");
