// POST practices/{practice}/migrations/sign-offs: stores a permanent go or no-go with the current figures.

import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { signOff } from "@/lib/migration/readiness/commands";
import { getReadiness, SHOWN_SIGN_OFFS } from "@/lib/migration/readiness/queries";
import { signOffBody } from "@/lib/migration/runs/staff-schema";
import { json } from "@/lib/platform/http/body";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  POST: staffEndpoint({
    name: "staff.migrations.sign-off",
    role: "admin",
    params: { practice: idParam },
    body: json(signOffBody),
    status: 201,
    handle: async ({ access, origin, params, body }) => {
      // Read first, because a response that fails after the commit would say that nothing was changed.
      const readiness = await getReadiness(access, params.practice);
      const signed = await signOff({ access, origin }, params.practice, body);
      const sign_offs = [signed, ...readiness.sign_offs].slice(0, SHOWN_SIGN_OFFS);
      return { body: { ...readiness, sign_offs } };
    },
  }),
});
