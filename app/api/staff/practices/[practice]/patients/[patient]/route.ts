// GET practices/{practice}/patients/{patient}: everything on the patient's page except the timeline.
import { idParam } from "@/lib/http/endpoint";
import { route } from "@/lib/http/route";
import { staffEndpoint } from "@/lib/http/staff-endpoint";
import { viewPatientPage } from "@/lib/policies/patient-page-queries";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.patients.get",
    role: "viewer",
    params: { practice: idParam, patient: idParam },
    status: 200,
    handle: async ({ access, params }) => ({ body: await viewPatientPage(access, params.patient) }),
  }),
});
