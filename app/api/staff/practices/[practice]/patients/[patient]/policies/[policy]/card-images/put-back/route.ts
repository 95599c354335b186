// POST policies/{policy}/card-images/put-back: restores an image from a version, without an upload.

import { z } from "zod";
import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { addCardImage } from "@/lib/insurance/commands/card-images";
import { getFormerImage, toShownImage } from "@/lib/insurance/policies/staff-queries";
import { replyToWrite } from "@/lib/insurance/replication/with-locked-patient";
import { json } from "@/lib/platform/http/body";
import { etagOf } from "@/lib/platform/http/conditional";
import { route } from "@/lib/platform/http/route";

const input = z.strictObject({
  version: z.int().min(1).max(999_999_999),
  image_rank: z.int().min(1).max(9),
});

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  POST: staffEndpoint({
    name: "staff.card_images.put_back",
    role: "staff",
    params: { practice: idParam, patient: idParam, policy: idParam },
    body: json(input),
    status: 201,
    versioned: true,
    handle: async ({ access, origin, params, body, ifMatch }) => {
      const at = { version: body.version, imageRank: body.image_rank };
      const image = await getFormerImage(access, params.patient, params.policy, at);
      const request = { access, origin, patientId: params.patient };
      const outcome = await addCardImage(request, params.policy, { image, imageRank: at.imageRank, ifMatch });
      const { image: placed, policyVersion: version } = outcome.result;
      const headers = { etag: etagOf(version) };
      return replyToWrite(outcome, false, { body: { version, image: toShownImage(placed) }, headers });
    },
  }),
});
