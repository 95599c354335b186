// GET, PATCH practices/{practice}/migrations/{run}: where a run stands and what it comes to; what its columns are.
import { json } from "@/lib/http/body";
import { idParam } from "@/lib/http/endpoint";
import { route } from "@/lib/http/route";
import { staffEndpoint } from "@/lib/http/staff-endpoint";
import { setColumns } from "@/lib/migration/commands/upload-run";
import { getRunPage } from "@/lib/migration/run-page-queries";
import { runColumns } from "@/lib/migration/schema/staff";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.migrations.get",
    role: "viewer",
    params: { practice: idParam, run: idParam },
    status: 200,
    handle: async ({ access, params }) => ({ body: await getRunPage(access, params.run) }),
  }),
  PATCH: staffEndpoint({
    name: "staff.migrations.columns",
    role: "staff",
    params: { practice: idParam, run: idParam },
    body: json(runColumns),
    status: 200,
    handle: async ({ access, origin, params, body }) => {
      await setColumns({ access, origin }, params.run, body.columns);
      return { body: await getRunPage(access, params.run) };
    },
  }),
});
