// GET, POST policies/{policy}/card-images: current and former images. Uploads are multipart, validated and stripped of metadata.

import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { addCardImage } from "@/lib/insurance/commands/card-images";
import { getPolicy } from "@/lib/insurance/policies/queries";
import { cardImageFromForm, cardImageInput } from "@/lib/insurance/policies/schema";
import { readCardImages, toShownImage } from "@/lib/insurance/policies/staff-queries";
import { replyToWrite } from "@/lib/insurance/replication/with-locked-patient";
import { isoNow } from "@/lib/platform/clock";
import { jsonOrMultipart } from "@/lib/platform/http/body";
import { etagOf, requireVersion } from "@/lib/platform/http/conditional";
import { route } from "@/lib/platform/http/route";
import { processImage, withStoredImage } from "@/lib/platform/storage/process-image";

const params = { practice: idParam, patient: idParam, policy: idParam };

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.card_images.list",
    role: "viewer",
    params,
    status: 200,
    handle: async ({ access, params }) => ({ body: await readCardImages(access, params.patient, params.policy) }),
  }),
  POST: staffEndpoint({
    name: "staff.card_images.create",
    role: "staff",
    params,
    body: jsonOrMultipart({ schema: cardImageInput, fromForm: cardImageFromForm }),
    status: 201,
    handle: async ({ access, origin, params, body, ifMatch, requester }) => {
      const { version: current } = await getPolicy(access, params.patient, params.policy);
      requireVersion(ifMatch, current);
      const processed = await processImage(body.bytes, { requester });
      const request = { access, origin, patientId: params.patient };
      const outcome = await withStoredImage(
        processed,
        { createdDate: isoNow(), requestId: origin.requestId },
        (image) => addCardImage(request, params.policy, { image, imageRank: body.image_rank, ifMatch }),
      );
      const { image, policyVersion: version } = outcome.result;
      const headers = { etag: etagOf(version) };
      return replyToWrite(outcome, false, { body: { version, image: toShownImage(image) }, headers });
    },
  }),
});
