// PUT practices/{practice}/settings/clock: deprecation date, mode and rehearsal time. Omitted fields stay unchanged.

import { json } from "@/lib/http/body";
import { idParam } from "@/lib/http/endpoint";
import { route } from "@/lib/http/route";
import { staffEndpoint } from "@/lib/http/staff-endpoint";
import { setDeprecationClock } from "@/lib/practices/commands";
import { deprecationClockInput } from "@/lib/practices/schema";
import { getSettingsPage } from "@/lib/practices/settings-queries";

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
