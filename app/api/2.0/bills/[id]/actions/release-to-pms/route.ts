// PATCH bills/{id}/actions/release-to-pms/: releases a deferred bill to the practice management system. Idempotent.
import { endpoint, idParam } from "@/lib/access/endpoints/endpoint";
import { route } from "@/lib/platform/http/route";
import { bills } from "@/lib/records/catalog/billing/bills";
import { billRelease } from "@/lib/records/commands/release-bill";
import { updateRecordOf } from "@/lib/records/engine/commands";
import { replyOf } from "@/lib/records/engine/routes";
import { answerOf } from "@/lib/records/engine/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  PATCH: endpoint({
    name: "bills.release",
    summary: "Release a deferred bill to the practice management system",
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
