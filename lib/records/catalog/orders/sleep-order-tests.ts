import { orderTestsOf } from "@/lib/records/engine/ancillary-rules";

/** The tests that can be ordered of sleep centers. */
export const sleepOrderTests = orderTestsOf("sleep");
