// POST, DELETE practices/{practice}/patients/{patient}/legacy-cards. With Insurance Versioning on, POST returns 422, DELETE 409.

import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { putLegacyCard, removeLegacyCard, requireLegacyCardsAllowed } from "@/lib/insurance/commands/legacy-cards";
import { cardFromForm, cardQuery, uploadedCard } from "@/lib/insurance/patients/filter";
import { replyToWrite } from "@/lib/insurance/replication/with-locked-patient";
import { isoNow } from "@/lib/platform/clock";
import { jsonOrMultipart } from "@/lib/platform/http/body";
import { route } from "@/lib/platform/http/route";
import { processImage, withStoredImage } from "@/lib/platform/storage/process-image";

const params = { practice: idParam, patient: idParam };

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  POST: staffEndpoint({
    name: "staff.legacy_cards.put",
    role: "staff",
    params,
    body: jsonOrMultipart({ schema: uploadedCard, fromForm: cardFromForm }),
    status: 201,
    versioned: true,
    handle: async ({ access, origin, params, ifMatch, body: { rank, side, image: sent }, requester }) => {
      const request = { access, origin, patientId: params.patient };
      await requireLegacyCardsAllowed(request, { ifMatch });
      const processed = await processImage(sent, { requester });
      const outcome = await withStoredImage(
        processed,
        { createdDate: isoNow(), requestId: origin.requestId },
        async (image) => {
          const written = await putLegacyCard(request, { rank, side, image, ifMatch });
          // The page recognizes its own upload by the hash.
          return { ...written, result: { ...written.result, sha256: image.sha256 } };
        },
      );
      return replyToWrite(outcome, false, { body: outcome.result });
    },
  }),
  DELETE: staffEndpoint({
    name: "staff.legacy_cards.remove",
    role: "staff",
    params,
    query: cardQuery,
    status: 200,
    versioned: true,
    handle: async ({ access, origin, params, ifMatch, query: { rank, side } }) => {
      const request = { access, origin, patientId: params.patient };
      const outcome = await removeLegacyCard(request, { rank, side, ifMatch, form: "legacy" });
      return replyToWrite(outcome, false, { body: outcome.result });
    },
  }),
});
