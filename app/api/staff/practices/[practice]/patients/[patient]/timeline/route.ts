// GET practices/{practice}/patients/{patient}/timeline: newest first. Returns 409 if Insurance Versioning is off.
import { idParam } from "@/lib/http/endpoint";
import { route } from "@/lib/http/route";
import { staffEndpoint } from "@/lib/http/staff-endpoint";
import { timelineQuery } from "@/lib/patients/filter";
import { requireShownHistory } from "@/lib/policies/history-queries";
import { listTimeline } from "@/lib/policies/patient-page-queries";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.patients.timeline",
    role: "viewer",
    params: { practice: idParam, patient: idParam },
    query: timelineQuery,
    status: 200,
    handle: async ({ access, params, query }) => {
      await requireShownHistory(access, params.patient);
      return { body: await listTimeline(access, params.patient, query) };
    },
  }),
});
