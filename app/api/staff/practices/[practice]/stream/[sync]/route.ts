// GET practices/{practice}/stream/{event}: a replication event with its patient data. Audited.

import { idParam } from "@/lib/http/endpoint";
import { route } from "@/lib/http/route";
import { staffEndpoint } from "@/lib/http/staff-endpoint";
import { getStreamEvent } from "@/lib/sync/staff-queries";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.stream.get",
    role: "viewer",
    params: { practice: idParam, sync: idParam },
    status: 200,
    handle: async ({ access, params }) => {
      const body = await getStreamEvent(access, params.sync);
      return { body, patients: [body.patient_id] };
    },
  }),
});
