// DELETE policies/{policy}/card-images/{rank}: earlier versions keep the image, and it can be put back.

import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { removeCardImage } from "@/lib/insurance/commands/card-images";
import { replyToWrite } from "@/lib/insurance/replication/with-locked-patient";
import { etagOf } from "@/lib/platform/http/conditional";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  DELETE: staffEndpoint({
    name: "staff.card_images.delete",
    role: "staff",
    params: { practice: idParam, patient: idParam, policy: idParam, rank: idParam },
    status: 200,
    versioned: true,
    handle: async ({ access, origin, params, ifMatch }) => {
      const request = { access, origin, patientId: params.patient };
      const outcome = await removeCardImage(request, params.policy, { imageRank: params.rank, ifMatch });
      const { version } = outcome.result;
      return replyToWrite(outcome, false, { body: { version }, headers: { etag: etagOf(version) } });
    },
  }),
});
