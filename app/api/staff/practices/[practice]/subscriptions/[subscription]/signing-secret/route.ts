// POST practices/{practice}/subscriptions/{subscription}/signing-secret: shows a new secret once; the old one expires after keep_hours.

import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { secretRotationInput } from "@/lib/events/subscriptions/schema";
import { createSecretForPractice } from "@/lib/events/subscriptions/secret-commands";
import { json } from "@/lib/platform/http/body";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  POST: staffEndpoint({
    name: "staff.subscriptions.create_secret",
    role: "admin",
    params: { practice: idParam, subscription: idParam },
    body: json(secretRotationInput),
    status: 201,
    oneTimeResponse: true,
    handle: async ({ access, origin, params, body }) => ({
      body: await createSecretForPractice({ access, origin }, params.subscription, body.keep_hours),
    }),
  }),
});
