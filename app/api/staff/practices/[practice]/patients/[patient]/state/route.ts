// GET practices/{practice}/patients/{patient}/state: whether the page is up to date, without patient data.
import { idParam } from "@/lib/http/endpoint";
import { route } from "@/lib/http/route";
import { staffEndpoint } from "@/lib/http/staff-endpoint";
import { viewPatientState } from "@/lib/policies/patient-page-queries";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.patients.state",
    role: "viewer",
    params: { practice: idParam, patient: idParam },
    status: 200,
    handle: async ({ access, params }) => ({ body: await viewPatientState(access, params.patient), patients: [] }),
  }),
});
