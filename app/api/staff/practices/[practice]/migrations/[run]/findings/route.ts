// GET practices/{practice}/migrations/{run}/findings. Audits each patient shown.
import { auditReadOfPractice } from "@/lib/access/audit/commands";
import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { searchFindings } from "@/lib/migration/check/review-queries";
import { findingsQuery } from "@/lib/migration/runs/staff-schema";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.migrations.findings",
    role: "viewer",
    params: { practice: idParam, run: idParam },
    query: findingsQuery,
    status: 200,
    readsMuch: true,
    handle: async ({ access, origin, params, query }) => {
      const body = await searchFindings(access, params.run, query);
      await auditReadOfPractice(origin, params.practice, []);
      return { body };
    },
  }),
});
