// GET practices/{practice}/audit: newest first, paged by cursor. Reading the audit log is audited.
import { auditLook } from "@/lib/audit/commands";
import { auditQuery } from "@/lib/audit/schema";
import { listAuditEntries } from "@/lib/audit/staff-queries";
import { idParam } from "@/lib/http/endpoint";
import { route } from "@/lib/http/route";
import { staffEndpoint } from "@/lib/http/staff-endpoint";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.audit.list",
    role: "admin",
    params: { practice: idParam },
    query: auditQuery,
    status: 200,
    handle: async ({ access, origin, params, query }) => {
      const body = await listAuditEntries(access, params.practice, query);
      await auditLook(origin, params.practice, query);
      return { body };
    },
  }),
});
