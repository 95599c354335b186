// POST, DELETE reports/{id}/delegates/: routes a report to a user or group, or withdraws it from the one named in the body.

import { endpoint, idParam } from "@/lib/access/endpoints/endpoint";
import { NotFoundError } from "@/lib/platform/errors";
import { json } from "@/lib/platform/http/body";
import { route } from "@/lib/platform/http/route";
import { reportDelegates } from "@/lib/records/catalog/patient-document/report-delegates";
import { reports } from "@/lib/records/catalog/patient-document/reports";
import { createRecord, deleteRecord } from "@/lib/records/engine/commands";
import { getRecord, readerFor } from "@/lib/records/engine/queries";
import { recordReply } from "@/lib/records/engine/routes";
import { bodySchema, responseSchema } from "@/lib/records/engine/rules";

const addressee = bodySchema(reportDelegates, "create").omit({ document: true });

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  POST: endpoint({
    name: "report_delegates.create",
    summary: "Route a report to a user or a group",
    scope: "system/reports.write",
    params: { id: idParam },
    body: json(addressee),
    response: responseSchema(reportDelegates, "create").omit({ document: true }),
    headers: ["ETag"],
    status: 201,
    handle: async ({ access, params: { id }, origin, body, url }) => {
      await getRecord(access, reports, id);
      const row = await createRecord({ access, origin }, reportDelegates, { ...body, document: id });
      const { body: delegate, ...reply } = await recordReply(access, reportDelegates, "create", row, { url });
      const { document: _report, ...shown } = delegate as Record<string, unknown>;
      return { ...reply, body: shown };
    },
  }),
  DELETE: endpoint({
    name: "report_delegates.delete",
    summary: "Withdraw a report from a user or a group",
    conditional: true,
    scope: "system/reports.write",
    params: { id: idParam },
    body: json(addressee),
    status: 204,
    handle: async ({ access, params: { id }, ifMatch, origin, body: { user = null, group = null } }) => {
      await getRecord(access, reports, id);
      const routed = await readerFor(access).recordsWhere(reportDelegates, "document", [id]);
      const found = routed.find(({ data }) => data.user === user && data.group === group);
      if (!found) throw new NotFoundError("delegate");
      await deleteRecord({ access, id: found.id, ifMatch, origin }, reportDelegates);
      return {};
    },
  }),
});
