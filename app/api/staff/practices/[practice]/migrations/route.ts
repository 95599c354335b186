// GET, POST practices/{practice}/migrations. A new run waits for its file.

import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { searchRuns } from "@/lib/migration/check/review-queries";
import { createUploadedRun } from "@/lib/migration/read/upload-run";
import { newRun, runsQuery } from "@/lib/migration/runs/staff-schema";
import { json } from "@/lib/platform/http/body";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.migrations.search",
    role: "viewer",
    params: { practice: idParam },
    query: runsQuery,
    status: 200,
    readsMuch: true,
    handle: async ({ access, query }) => ({ body: await searchRuns(access, query) }),
  }),
  POST: staffEndpoint({
    name: "staff.migrations.create",
    role: "staff",
    params: { practice: idParam },
    body: json(newRun),
    status: 201,
    handle: async ({ access, origin, params, body }) => ({
      body: await createUploadedRun({ access, origin }, params.practice, body),
    }),
  }),
});
