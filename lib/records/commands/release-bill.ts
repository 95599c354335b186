import { z } from "zod";
import { bills } from "@/lib/records/catalog/billing/bills";
import { defaulted } from "@/lib/records/engine/fields";
import { defineVariant } from "@/lib/records/engine/schema";

/** The release of a bill to the practice management system. It sets a field that clients can't write. */
export const billRelease = defineVariant(bills, {
  operations: [],
  views: { update: { title: "BillUpdate", fields: { deferred_bill: defaulted(z.boolean()) } } },
});
