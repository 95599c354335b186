// GET practices/{practice}/patients/{patient}: everything on the patient's page except the timeline.
import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { viewPatientPage } from "@/lib/insurance/patient-page/queries";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.patients.get",
    role: "viewer",
    params: { practice: idParam, patient: idParam },
    status: 200,
    handle: async ({ access, params }) => ({ body: await viewPatientPage(access, params.patient) }),
  }),
});
