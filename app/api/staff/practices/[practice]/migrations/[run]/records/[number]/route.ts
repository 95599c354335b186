// GET practices/{practice}/migrations/{run}/records/{number}: a record as read and as it would be converted.
import { auditReadOfPractice } from "@/lib/access/audit/commands";
import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { getRecordPage } from "@/lib/migration/check/record-queries";
import { convertedPatients } from "@/lib/migration/check/review-queries";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.migrations.record",
    role: "viewer",
    params: { practice: idParam, run: idParam, number: idParam },
    status: 200,
    handle: async ({ access, origin, params }) => {
      const body = await getRecordPage(access, params.run, params.number);
      await auditReadOfPractice(origin, params.practice, convertedPatients([body.record]));
      return { body };
    },
  }),
});
