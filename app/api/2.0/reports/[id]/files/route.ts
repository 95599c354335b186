// GET reports/{id}/files/: the files of a report, each with the URL of its bytes.
import { z } from "zod";
import { endpoint, idParam } from "@/lib/access/endpoints/endpoint";
import { route } from "@/lib/platform/http/route";
import { reports } from "@/lib/records/catalog/patient-document/reports";
import { dataSubjects, getRecord } from "@/lib/records/engine/queries";

const file = z.object({ id: z.int(), content_type: z.string(), original_filename: z.string(), url: z.url() });

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: endpoint({
    name: "report_files.list",
    summary: "List the files of a report",
    scope: "system/reports.read",
    params: { id: idParam },
    response: z.array(file),
    status: 200,
    handle: async ({ access, params: { id }, url }) => {
      const report = await getRecord(access, reports, id);
      const body = (report.data.files ?? []).map((file) => ({
        ...file,
        url: new URL(`/api/2.0/reports/${id}/files/${file.id}/`, url).href,
      }));
      return { body, ...dataSubjects(reports, [report]) };
    },
  }),
});
