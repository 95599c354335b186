// DELETE policies/{policy}/card-images/{rank}: earlier versions keep the image, and it can be put back.
import { etagOf } from "@/lib/http/conditional";
import { idParam } from "@/lib/http/endpoint";
import { replyToWrite } from "@/lib/http/outcome";
import { route } from "@/lib/http/route";
import { staffEndpoint } from "@/lib/http/staff-endpoint";
import { removeCardImage } from "@/lib/policies/commands/card-images";

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
