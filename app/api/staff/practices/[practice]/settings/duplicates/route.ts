// PUT practices/{practice}/settings/duplicates: whether the API rejects patients whom the practice already has.

import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { json } from "@/lib/platform/http/body";
import { route } from "@/lib/platform/http/route";
import { setDuplicatePatients } from "@/lib/practice/practices/commands";
import { duplicatePatientsInput } from "@/lib/practice/practices/schema";
import { getSettingsPage } from "@/lib/practice/practices/staff-queries";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  PUT: staffEndpoint({
    name: "staff.settings.set_duplicates",
    role: "admin",
    params: { practice: idParam },
    body: json(duplicatePatientsInput),
    status: 200,
    versioned: true,
    handle: async ({ access, params, body, origin, ifMatch }) => {
      await setDuplicatePatients({ access, practiceId: params.practice, rejected: body.rejected, origin, ifMatch });
      return { body: await getSettingsPage(access, params.practice) };
    },
  }),
});
