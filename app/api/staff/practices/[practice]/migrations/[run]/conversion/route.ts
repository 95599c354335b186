// POST practices/{practice}/migrations/{run}/conversion: starts the conversion. Rejected while the run has open errors.
import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { getRunView } from "@/lib/migration/check/review-queries";
import { startConversion } from "@/lib/migration/convert/convert-run";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  POST: staffEndpoint({
    name: "staff.migrations.convert",
    role: "admin",
    params: { practice: idParam, run: idParam },
    status: 200,
    handle: async ({ access, origin, params }) => {
      await startConversion({ access, origin }, params.run);
      return { body: await getRunView(access, params.run) };
    },
  }),
});
