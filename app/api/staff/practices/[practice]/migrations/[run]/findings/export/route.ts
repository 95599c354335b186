// GET practices/{practice}/migrations/{run}/findings/export: all matching findings as CSV or NDJSON.
import { auditReadOfPractice } from "@/lib/access/audit/commands";
import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { exportFindings } from "@/lib/migration/check/exports";
import { findingsExport } from "@/lib/migration/runs/staff-schema";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.migrations.findings-export",
    role: "viewer",
    exports: true,
    params: { practice: idParam, run: idParam },
    query: findingsExport,
    status: 200,
    readsMuch: true,
    handle: async ({ access, origin, params, query }) => {
      const download = await exportFindings(access, params.run, query);
      await auditReadOfPractice(origin, params.practice, []);
      return { download };
    },
  }),
});
