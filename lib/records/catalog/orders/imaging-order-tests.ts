import { orderTestsOf } from "@/lib/records/rules/ancillary-orders";

/** The tests that can be ordered of imaging centers. */
export const imagingOrderTests = orderTestsOf("imaging");
