// GET practices/{practice}/stream/{event}: a replication event with its patient data. Audited.

import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { getReplicationEvent } from "@/lib/insurance/replication/staff-queries";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.stream.get",
    role: "admin",
    params: { practice: idParam, sync: idParam },
    status: 200,
    handle: async ({ access, params }) => {
      const body = await getReplicationEvent(access, params.sync);
      return { body, patients: [body.patient_id] };
    },
  }),
});
