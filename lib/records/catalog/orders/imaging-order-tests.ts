import { orderTestsOf } from "@/lib/records/engine/ancillary-rules";

/** The tests that can be ordered of imaging centers. */
export const imagingOrderTests = orderTestsOf("imaging");
