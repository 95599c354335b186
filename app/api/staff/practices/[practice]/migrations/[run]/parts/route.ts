// GET practices/{practice}/migrations/{run}/parts?from=1: the SHA-256 of up to 16 parts from this one on, without missing parts.
// Before a page resumes an upload, it compares them with the chosen file and sends the parts that differ again.
// POST practices/{practice}/migrations/{run}/parts: begins or resumes the upload, and ends that of any other page.

import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { takeUploadTurn } from "@/lib/migration/read/upload-run";
import { partsQuery } from "@/lib/migration/runs/staff-schema";
import { listPartHashes } from "@/lib/migration/work/page-queries";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.migrations.parts",
    role: "staff",
    params: { practice: idParam, run: idParam },
    query: partsQuery,
    status: 200,
    handle: async ({ access, params, query }) => ({ body: await listPartHashes(access, params.run, query.from) }),
  }),
  POST: staffEndpoint({
    name: "staff.migrations.begin-upload",
    role: "staff",
    params: { practice: idParam, run: idParam },
    status: 200,
    handle: async ({ access, origin, params }) => ({ body: await takeUploadTurn({ access, origin }, params.run) }),
  }),
});
