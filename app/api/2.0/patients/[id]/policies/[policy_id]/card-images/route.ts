// GET, POST patients/{id}/policies/{policy_id}/card-images: multipart or JSON. The bytes decide the type; metadata is stripped.

import { z } from "zod";
import { dryRunQuery, endpoint, idParam } from "@/lib/access/endpoints/endpoint";
import { addCardImage } from "@/lib/insurance/commands/card-images";
import { toCardImageDto } from "@/lib/insurance/policies/dto";
import { getPolicy } from "@/lib/insurance/policies/queries";
import { cardImageFromForm, cardImageInput, cardImageResponse } from "@/lib/insurance/policies/schema";
import { replyToWrite } from "@/lib/insurance/replication/with-locked-patient";
import { isoNow } from "@/lib/platform/clock";
import { jsonOrMultipart } from "@/lib/platform/http/body";
import { etagOf, requireVersion } from "@/lib/platform/http/conditional";
import { route } from "@/lib/platform/http/route";
import { processImage, withStoredImage } from "@/lib/platform/storage/process-image";

const params = { id: idParam, policy_id: idParam };

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: endpoint({
    name: "card_images.list",
    summary: "List the card images of a policy",
    group: "Insurance",
    errors: [410],
    scope: "system/patients.read",
    params,
    response: z.array(cardImageResponse),
    headers: ["ETag"],
    status: 200,
    handle: async ({ access, params, url }) => {
      const policy = await getPolicy(access, params.id, params.policy_id);
      const body = policy.card_images.map((image) => toCardImageDto(image, url));
      return { body, headers: { etag: etagOf(policy.version) } };
    },
  }),
  POST: endpoint({
    name: "card_images.create",
    summary: "Upload a card image",
    description:
      "JPEG or PNG, at most 10 MiB and 40 megapixels. `image_rank` defaults to the next free place. An image already at that place is replaced.",
    group: "Insurance",
    conditional: true,
    errors: [409, 410, 422],
    scope: "system/patients.write",
    source: "policies_api",
    params,
    query: dryRunQuery,
    body: jsonOrMultipart({ schema: cardImageInput, fromForm: cardImageFromForm }),
    response: cardImageResponse,
    headers: ["ETag"],
    status: 201,
    handle: async ({ access, origin, params, query, body, ifMatch, url, requester }) => {
      const { version } = await getPolicy(access, params.id, params.policy_id);
      requireVersion(ifMatch, version);
      const processed = await processImage(body.bytes, { requester });
      const request = { access, origin, patientId: params.id, dryRun: query.dry_run };
      const options = { createdDate: isoNow(), dryRun: query.dry_run, requestId: origin.requestId };
      const outcome = await withStoredImage(processed, options, (image) =>
        addCardImage(request, params.policy_id, { image, imageRank: body.image_rank, ifMatch }),
      );
      const headers = { etag: etagOf(outcome.result.policyVersion) };
      return replyToWrite(outcome, query.dry_run, { body: toCardImageDto(outcome.result.image, url), headers });
    },
  }),
});
