// POST practices/{practice}/migrations/{run}/roll-back: starts the rollback. Requires X-Change-Reason.
import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { getRunView } from "@/lib/migration/check/review-queries";
import { startRollBack } from "@/lib/migration/rollback/roll-back-run";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  POST: staffEndpoint({
    name: "staff.migrations.roll-back",
    role: "admin",
    params: { practice: idParam, run: idParam },
    status: 200,
    handle: async ({ access, origin, params }) => {
      await startRollBack({ access, origin }, params.run);
      return { body: await getRunView(access, params.run) };
    },
  }),
});
