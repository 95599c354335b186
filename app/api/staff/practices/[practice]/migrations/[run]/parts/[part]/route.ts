// PUT practices/{practice}/migrations/{run}/parts/{part}: parts count from 1. A repeated part replaces the earlier one.

import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { PART_BYTES, putPart } from "@/lib/migration/read/upload-run";
import { uploadQuery } from "@/lib/migration/runs/staff-schema";
import { octets } from "@/lib/platform/http/body";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  PUT: staffEndpoint({
    name: "staff.migrations.upload",
    role: "staff",
    params: { practice: idParam, run: idParam, part: idParam },
    query: uploadQuery,
    body: octets({ limitBytes: PART_BYTES }),
    status: 204,
    handle: async ({ access, origin, params, query, body }) => {
      await putPart({ access, origin }, params.run, params.part, body, query);
      return {};
    },
  }),
});
