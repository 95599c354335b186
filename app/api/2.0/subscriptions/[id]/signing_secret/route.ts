// POST subscriptions/{id}/signing_secret: creates a secret and shows it once. The previous secrets expire after keep_hours.

import { endpoint, idParam } from "@/lib/access/endpoints/endpoint";
import { newSecretResponse, secretRotationInput } from "@/lib/events/subscriptions/schema";
import { createSecret } from "@/lib/events/subscriptions/secret-commands";
import { json } from "@/lib/platform/http/body";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  POST: endpoint({
    name: "subscriptions.create_secret",
    summary: "Create or replace a signing secret",
    description:
      "The new secret signs from the next attempt. Until the previous secret expires, each webhook has a signature by both. Returns 409 `too_many_secrets` if five secrets are valid.",
    scope: "apiv2",
    params: { id: idParam },
    body: json(secretRotationInput),
    response: newSecretResponse,
    oneTimeResponse: true,
    errors: [409],
    status: 201,
    handle: async ({ access, origin, params, body }) => ({
      body: await createSecret({ access, origin }, params.id, body.keep_hours),
    }),
  }),
});
