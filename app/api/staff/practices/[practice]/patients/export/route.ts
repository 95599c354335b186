// GET practices/{practice}/patients/export: all matching patients as CSV, each one audited. Returns 422 if there are too many.

import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { patientSearchQuery } from "@/lib/insurance/patients/filter";
import { exportPatients } from "@/lib/insurance/patients/staff-queries";
import { toCsv } from "@/lib/platform/csv";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.patients.export",
    role: "viewer",
    exports: true,
    params: { practice: idParam },
    query: patientSearchQuery,
    status: 200,
    readsMuch: true,
    handle: async ({ access, query }) => {
      const results = await exportPatients(access, query);
      const content = await toCsv(results, [
        ["Patient ID", (row) => row.id],
        ["Last name", (row) => row.last_name],
        ["First name", (row) => row.first_name],
        ["Date of birth", (row) => row.dob],
        ["Sex", (row) => row.sex],
        ["Primary payer", (row) => row.carrier],
        ["Member ID", (row) => row.member_id],
        ["Insurance records", (row) => row.insurances],
        ["Last changed (UTC)", (row) => row.last_modified],
      ]);
      const download = { filename: "patients.csv", contentType: "text/csv; charset=utf-8", content };
      return { download, patients: results.map(({ id }) => id) };
    },
  }),
});
