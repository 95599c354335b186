// GET practices/{practice}/patients: searches patients. Audits each patient shown.
import { idParam } from "@/lib/http/endpoint";
import { route } from "@/lib/http/route";
import { staffEndpoint } from "@/lib/http/staff-endpoint";
import { patientSearchQuery } from "@/lib/patients/filter";
import { searchPatients } from "@/lib/patients/staff-queries";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.patients.search",
    role: "viewer",
    params: { practice: idParam },
    query: patientSearchQuery,
    status: 200,
    handle: async ({ access, query }) => {
      const body = await searchPatients(access, query);
      return { body, patients: body.results.map(({ id }) => id) };
    },
  }),
});
