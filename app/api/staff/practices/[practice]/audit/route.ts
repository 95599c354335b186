// GET practices/{practice}/audit: newest first, paged by cursor. Reading the audit log is audited.
import { auditSearch } from "@/lib/access/audit/commands";
import { auditQuery } from "@/lib/access/audit/schema";
import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { listNamedAuditEntries } from "@/lib/api/audit/queries";
import { selectRunNames } from "@/lib/migration/runs/queries";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.audit.list",
    role: "admin",
    params: { practice: idParam },
    query: auditQuery,
    status: 200,
    readsMuch: true,
    handle: async ({ access, origin, params, query }) => {
      const body = await listNamedAuditEntries(access, params.practice, { query, selectRunNames });
      await auditSearch(origin, params.practice, query);
      return { body };
    },
  }),
});
