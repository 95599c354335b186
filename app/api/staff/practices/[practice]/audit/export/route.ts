// GET practices/{practice}/audit/export: all matching entries as CSV. The export itself is audited.
import { auditSearch } from "@/lib/access/audit/commands";
import { auditFilter } from "@/lib/access/audit/schema";
import { exportAuditEntries } from "@/lib/access/audit/staff-queries";
import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { toCsv } from "@/lib/platform/csv";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.audit.export",
    role: "admin",
    exports: true,
    params: { practice: idParam },
    query: auditFilter,
    status: 200,
    readsMuch: true,
    handle: async ({ access, origin, params, query }) => {
      const entries = await exportAuditEntries(access, params.practice, query);
      await auditSearch(origin, params.practice, query);
      const content = await toCsv(entries, [
        ["Entry", (row) => row.seq],
        ["ID", (row) => row.id],
        ["Time (UTC)", (row) => row.occurred_date],
        ["Actor type", (row) => row.actor_type],
        ["Actor id", (row) => row.actor_id],
        ["Actor", (row) => row.actor_name],
        ["Kind", (row) => row.kind],
        ["Operation", (row) => row.operation],
        ["Path", (row) => row.path],
        ["Patients", (row) => row.patients.join(" ")],
        ["Source", (row) => row.source],
        ["Address", (row) => row.address],
        ["Reason", (row) => row.reason],
        ["Request", (row) => row.request_id],
        ["Detail", (row) => row.detail && JSON.stringify(row.detail)],
      ]);
      return { download: { filename: "audit.csv", contentType: "text/csv; charset=utf-8", content } };
    },
  }),
});
