// GET practices/{practice}/patients/review-counts: how many patients each of Home's filters of the list matches. Names no patient.
import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { countPatientsToReview } from "@/lib/insurance/patients/staff-queries";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.patients.review_counts",
    role: "viewer",
    params: { practice: idParam },
    status: 200,
    readsMuch: true,
    handle: async ({ access }) => ({ body: await countPatientsToReview(access) }),
  }),
});
