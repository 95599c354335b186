// POST practices/{practice}/migrations/{run}/work: checks, verifies, cancels or resumes a run.

import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { getRunView } from "@/lib/migration/check/review-queries";
import { workBody } from "@/lib/migration/runs/staff-schema";
import { performAction } from "@/lib/migration/work/run-worker";
import { json } from "@/lib/platform/http/body";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  POST: staffEndpoint({
    name: "staff.migrations.work",
    role: "staff",
    params: { practice: idParam, run: idParam },
    body: json(workBody),
    status: 200,
    handle: async ({ access, origin, params, body }) => {
      await performAction({ access, origin }, params.run, body);
      return { body: await getRunView(access, params.run) };
    },
  }),
});
