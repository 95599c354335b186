// PATCH bills/{id}/actions/release-to-pms/: releases a deferred bill to the practice management system. Idempotent.
import { endpoint, idParam } from "@/lib/http/endpoint";
import { route } from "@/lib/http/route";
import { bills } from "@/lib/resources/billing/bills";
import { updateRecordOf } from "@/lib/resources/commands";
import { billRelease } from "@/lib/resources/release-rules";
import { replyOf } from "@/lib/resources/routes";
import { answerOf } from "@/lib/resources/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  PATCH: endpoint({
    name: "bills.release",
    summary: "Let a deferred bill go to the practice management system",
    conditional: true,
    scope: "system/bills.write",
    params: { id: idParam },
    response: answerOf(bills, "update"),
    headers: ["ETag"],
    status: 200,
    handle: async ({ access, params: { id }, ifMatch, origin, url }) => {
      const bill = await updateRecordOf({ access, id, ifMatch, origin }, billRelease, { deferred_bill: false });
      return replyOf(access, bills, "update", bill, { url });
    },
  }),
});
