// GET, PUT practices/{practice}/settings/versioning. GET previews the effect of switching; PUT switches, with a reason.

import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { rehearseVersioningSwitch } from "@/lib/insurance/commands/rehearse-versioning";
import { json } from "@/lib/platform/http/body";
import { route } from "@/lib/platform/http/route";
import { setInsuranceVersioning } from "@/lib/practice/practices/commands";
import { versioningInput } from "@/lib/practice/practices/schema";
import { getSettingsPage } from "@/lib/practice/practices/staff-queries";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.settings.rehearse_versioning",
    role: "admin",
    params: { practice: idParam },
    status: 200,
    handle: async ({ access, params, origin }) => ({
      body: await rehearseVersioningSwitch({ access, practiceId: params.practice, origin }),
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
