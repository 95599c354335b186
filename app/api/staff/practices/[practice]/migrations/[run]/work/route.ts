// POST practices/{practice}/migrations/{run}/work: checks, verifies, cancels or resumes a run.
import { json } from "@/lib/http/body";
import { idParam } from "@/lib/http/endpoint";
import { route } from "@/lib/http/route";
import { staffEndpoint } from "@/lib/http/staff-endpoint";
import { askForWork } from "@/lib/migration/commands/ask-for-work";
import { getRunView } from "@/lib/migration/review-queries";
import { workBody } from "@/lib/migration/schema/staff";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  POST: staffEndpoint({
    name: "staff.migrations.work",
    role: "staff",
    params: { practice: idParam, run: idParam },
    body: json(workBody),
    status: 200,
    handle: async ({ access, origin, params, body }) => {
      await askForWork({ access, origin }, params.run, body.work);
      return { body: await getRunView(access, params.run) };
    },
  }),
});
