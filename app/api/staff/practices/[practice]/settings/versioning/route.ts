// GET, PUT practices/{practice}/settings/versioning. GET previews the effect of switching; PUT switches, with a reason.

import { json } from "@/lib/http/body";
import { idParam } from "@/lib/http/endpoint";
import { route } from "@/lib/http/route";
import { staffEndpoint } from "@/lib/http/staff-endpoint";
import { rehearseInsuranceVersioning, setInsuranceVersioning } from "@/lib/practices/commands";
import { versioningInput } from "@/lib/practices/schema";
import { getSettingsPage } from "@/lib/practices/settings-queries";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.settings.rehearse_versioning",
    role: "admin",
    params: { practice: idParam },
    status: 200,
    handle: async ({ access, params, origin }) => ({
      body: await rehearseInsuranceVersioning({ access, practiceId: params.practice, origin }),
    }),
  }),
  PUT: staffEndpoint({
    name: "staff.settings.set_versioning",
    role: "admin",
    params: { practice: idParam },
    body: json(versioningInput),
    status: 200,
    versioned: true,
    handle: async ({ access, params, body, origin, ifMatch }) => {
      await setInsuranceVersioning({ access, practiceId: params.practice, enabled: body.enabled, origin, ifMatch });
      return { body: await getSettingsPage(access, params.practice) };
    },
  }),
});
