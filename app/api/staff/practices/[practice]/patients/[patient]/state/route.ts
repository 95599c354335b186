// GET practices/{practice}/patients/{patient}/state: whether the page is up to date, without patient data.
import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { viewPatientState } from "@/lib/insurance/patient-page/queries";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.patients.state",
    role: "viewer",
    params: { practice: idParam, patient: idParam },
    status: 200,
    handle: async ({ access, params }) => ({ body: await viewPatientState(access, params.patient), patients: [] }),
  }),
});
