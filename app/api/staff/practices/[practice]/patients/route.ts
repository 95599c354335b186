// GET practices/{practice}/patients: searches patients. Audits each patient shown.
import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { patientSearchQuery } from "@/lib/insurance/patients/filter";
import { searchPatients } from "@/lib/insurance/patients/staff-queries";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.patients.search",
    role: "viewer",
    params: { practice: idParam },
    query: patientSearchQuery,
    status: 200,
    readsMuch: true,
    handle: async ({ access, query }) => {
      const body = await searchPatients(access, query);
      return { body, patients: body.results.map(({ id }) => id) };
    },
  }),
});
