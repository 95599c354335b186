// GET reports/{id}/files/{file_id}/: the bytes of a report's file.

import { endpoint, idParam } from "@/lib/access/endpoints/endpoint";
import { NotFoundError } from "@/lib/platform/errors";
import { ANY_TYPE } from "@/lib/platform/http/response";
import { route } from "@/lib/platform/http/route";
import { reports } from "@/lib/records/catalog/patient-document/reports";
import { dataSubjects, getFile, getRecord } from "@/lib/records/engine/queries";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: endpoint({
    name: "report_files.get",
    summary: "Get the bytes of a report's file",
    description: "The content type is the one sent with the file, or else inferred from its name.",
    produces: [ANY_TYPE],
    scope: "system/reports.read",
    params: { id: idParam, file_id: idParam },
    status: 200,
    handle: async ({ access, params: { id, file_id } }) => {
      const report = await getRecord(access, reports, id);
      const isOfReport = report.data.files?.some((file) => file.id === file_id);
      if (!isOfReport) throw new NotFoundError("file");
      return { file: await getFile(access, file_id), ...dataSubjects(reports, [report]) };
    },
  }),
});
