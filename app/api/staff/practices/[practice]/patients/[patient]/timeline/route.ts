// GET practices/{practice}/patients/{patient}/timeline: newest first. Returns 409 if Insurance Versioning is off.

import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { listTimeline } from "@/lib/insurance/patient-page/queries";
import { timelineQuery } from "@/lib/insurance/patients/filter";
import { requireVisibleHistory } from "@/lib/insurance/policies/staff-queries";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.patients.timeline",
    role: "viewer",
    params: { practice: idParam, patient: idParam },
    query: timelineQuery,
    status: 200,
    handle: async ({ access, params, query }) => {
      await requireVisibleHistory(access, params.patient);
      return { body: await listTimeline(access, params.patient, query) };
    },
  }),
});
