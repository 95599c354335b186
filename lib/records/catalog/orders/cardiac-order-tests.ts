import { orderTestsOf } from "@/lib/records/engine/ancillary-rules";

/** The tests that can be ordered of cardiac centers. */
export const cardiacOrderTests = orderTestsOf("cardiac");
