// GET practices/{practice}/migrations/readiness/export: every record that is not ready, as CSV.
import { auditReadOfPractice } from "@/lib/access/audit/commands";
import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { exportUnready } from "@/lib/migration/check/exports";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.migrations.readiness-export",
    role: "viewer",
    exports: true,
    params: { practice: idParam },
    status: 200,
    readsMuch: true,
    handle: async ({ access, origin, params }) => {
      const download = await exportUnready(access, params.practice);
      await auditReadOfPractice(origin, params.practice, []);
      return { download };
    },
  }),
});
