import { z } from "zod";
import { bills } from "@/lib/records/catalog/billing/bills";
import { defaulted, defineResource } from "@/lib/records/engine/schema";

/** The same bill, let go to the practice management system: the one field no client writes. */
export const billRelease = defineResource({
  ...bills,
  operations: [],
  views: { update: { title: "BillUpdate", fields: { deferred_bill: defaulted(z.boolean()) } } },
});
