// DELETE patients/{id}/policies/{policy_id}/card-images/{image_rank}: earlier versions still show the image.

import { dryRunQuery, endpoint, idParam } from "@/lib/access/endpoints/endpoint";
import { removeCardImage } from "@/lib/insurance/commands/card-images";
import { replyToWrite } from "@/lib/insurance/replication/with-locked-patient";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  DELETE: endpoint({
    name: "card_images.delete",
    summary: "Delete a card image",
    group: "Insurance",
    conditional: true,
    errors: [409, 410],
    scope: "system/patients.write",
    source: "policies_api",
    params: { id: idParam, policy_id: idParam, image_rank: idParam },
    query: dryRunQuery,
    status: 204,
    handle: async ({ access, origin, params, query, ifMatch }) => {
      const request = { access, origin, patientId: params.id, dryRun: query.dry_run };
      const outcome = await removeCardImage(request, params.policy_id, { imageRank: params.image_rank, ifMatch });
      return replyToWrite(outcome, query.dry_run, {});
    },
  }),
});
