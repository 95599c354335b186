// POST, DELETE practices/{practice}/patients/{patient}/legacy-cards: cards by priority. POST is 422 with Insurance Versioning.
import { isoNow } from "@/lib/clock";
import { jsonOrMultipart } from "@/lib/http/body";
import { idParam } from "@/lib/http/endpoint";
import { replyToWrite } from "@/lib/http/outcome";
import { route } from "@/lib/http/route";
import { staffEndpoint } from "@/lib/http/staff-endpoint";
import { putLegacyCard, removeLegacyCards, requireCardsByPriority } from "@/lib/patients/commands/legacy-cards";
import { cardFromForm, cardQuery, uploadedCard } from "@/lib/patients/filter";
import { requireLegacyInterface } from "@/lib/patients/staff-queries";
import { processImage, withStoredImage } from "@/lib/storage/process-image";

const params = { practice: idParam, patient: idParam };

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  POST: staffEndpoint({
    name: "staff.legacy_cards.put",
    role: "staff",
    params,
    body: jsonOrMultipart({ schema: uploadedCard, fromForm: cardFromForm }),
    status: 201,
    handle: async ({ access, origin, params, body: { rank, side, image: sent } }) => {
      const request = { access, origin, patientId: params.patient };
      await requireCardsByPriority(request);
      const processed = await processImage(sent);
      const outcome = await withStoredImage(processed, { createdDate: isoNow() }, (image) =>
        putLegacyCard(request, { rank, side, image }),
      );
      return replyToWrite(outcome, false, {});
    },
  }),
  DELETE: staffEndpoint({
    name: "staff.legacy_cards.remove",
    role: "staff",
    params,
    query: cardQuery,
    status: 204,
    handle: async ({ access, origin, params, query: { rank, side } }) => {
      await requireLegacyInterface(params.practice);
      const request = { access, origin, patientId: params.patient };
      return replyToWrite(await removeLegacyCards(request, { rank, side: side ?? null }), false, {});
    },
  }),
});
