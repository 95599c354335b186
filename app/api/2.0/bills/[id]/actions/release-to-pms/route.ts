// PATCH bills/{id}/actions/release-to-pms/: releases a deferred bill to the practice management system. Idempotent.
import { endpoint, idParam } from "@/lib/access/endpoints/endpoint";
import { route } from "@/lib/platform/http/route";
import { bills } from "@/lib/records/catalog/billing/bills";
import { billRelease } from "@/lib/records/commands/release-bill";
import { updateRecord } from "@/lib/records/engine/commands";
import { recordReply } from "@/lib/records/engine/routes";
import { responseSchema } from "@/lib/records/engine/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  PATCH: endpoint({
    name: "bills.release",
    summary: "Release a deferred bill to the practice management system",
    conditional: true,
    scope: "system/bills.write",
    params: { id: idParam },
    response: responseSchema(bills, "update"),
    headers: ["ETag"],
    status: 200,
    handle: async ({ access, params: { id }, ifMatch, origin, url }) => {
      const bill = await updateRecord({ access, id, ifMatch, origin }, billRelease, { deferred_bill: false });
      return recordReply(access, bills, "update", bill, { url });
    },
  }),
});
