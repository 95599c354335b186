// PUT practices/{practice}/settings/clock: deprecation date, mode and rehearsal time. Omitted fields stay unchanged.

import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { json } from "@/lib/platform/http/body";
import { route } from "@/lib/platform/http/route";
import { setDeprecationClock } from "@/lib/practice/practices/commands";
import { deprecationClockInput } from "@/lib/practice/practices/schema";
import { getSettingsPage } from "@/lib/practice/practices/staff-queries";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  PUT: staffEndpoint({
    name: "staff.settings.set_clock",
    role: "admin",
    params: { practice: idParam },
    body: json(deprecationClockInput),
    status: 200,
    versioned: true,
    handle: async ({ access, params, body, origin, ifMatch }) => {
      await setDeprecationClock({ access, practiceId: params.practice, origin, ifMatch, ...body });
      return { body: await getSettingsPage(access, params.practice) };
    },
  }),
});
