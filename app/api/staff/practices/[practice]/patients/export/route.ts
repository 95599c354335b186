// GET practices/{practice}/patients/export: all matching patients as CSV, each one audited. Returns 422 if there are too many.
import { toCsv } from "@/lib/csv";
import { idParam } from "@/lib/http/endpoint";
import { route } from "@/lib/http/route";
import { staffEndpoint } from "@/lib/http/staff-endpoint";
import { patientSearchQuery } from "@/lib/patients/filter";
import { exportPatients } from "@/lib/patients/staff-queries";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.patients.export",
    role: "viewer",
    exports: true,
    params: { practice: idParam },
    query: patientSearchQuery,
    status: 200,
    handle: async ({ access, query }) => {
      const results = await exportPatients(access, query);
      const content = await toCsv(results, [
        ["Id", (row) => row.id],
        ["Last name", (row) => row.last_name],
        ["First name", (row) => row.first_name],
        ["Date of birth", (row) => row.dob],
        ["Sex", (row) => row.sex],
        ["Primary carrier", (row) => row.carrier],
        ["Member ID", (row) => row.member_id],
        ["Insurances", (row) => row.insurances],
        ["Last changed (UTC)", (row) => row.last_modified],
      ]);
      const download = { filename: "patients.csv", contentType: "text/csv; charset=utf-8", content };
      return { download, patients: results.map(({ id }) => id) };
    },
  }),
});
