// GET practices/{practice}/migrations/{run}/records: the patients of a run. Audits each patient shown.
import { auditReadOfPractice } from "@/lib/access/audit/commands";
import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { convertedPatients, searchRecords } from "@/lib/migration/check/review-queries";
import { recordsQuery } from "@/lib/migration/runs/staff-schema";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.migrations.records",
    role: "viewer",
    params: { practice: idParam, run: idParam },
    query: recordsQuery,
    status: 200,
    readsMuch: true,
    handle: async ({ access, origin, params, query }) => {
      const body = await searchRecords(access, params.run, query);
      await auditReadOfPractice(origin, params.practice, convertedPatients(body.results));
      return { body };
    },
  }),
});
