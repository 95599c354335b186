// GET, POST, DELETE patients/{id}/insurance_cards: cards by priority. POST returns 422 if Insurance Versioning is on.

import { z } from "zod";
import { endpoint, idParam } from "@/lib/access/endpoints/endpoint";
import { putLegacyCard, removeLegacyCard, requireLegacyCardsAllowed } from "@/lib/insurance/commands/legacy-cards";
import { toCardDtos } from "@/lib/insurance/patients/dto";
import { cardQuery } from "@/lib/insurance/patients/filter";
import { getPatient } from "@/lib/insurance/patients/queries";
import { cardInput, cardResponse } from "@/lib/insurance/patients/schema";
import { listCards } from "@/lib/insurance/patients/store";
import { replyToWrite } from "@/lib/insurance/replication/with-locked-patient";
import { isoNow } from "@/lib/platform/clock";
import { json } from "@/lib/platform/http/body";
import { route } from "@/lib/platform/http/route";
import { decodeBase64, processImage, withStoredImage } from "@/lib/platform/storage/process-image";
import { countLegacyUse } from "@/lib/practice/practices/legacy-usage";

const params = { id: idParam };
const DEPRECATED = "Deprecated on 31 October 2025, unless the practice has a different date.";
const IF_MATCH = "`If-Match` takes the `ETag` of the patient.";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: endpoint({
    name: "insurance_cards.list",
    summary: "List the cards of a patient by priority",
    description: `${DEPRECATED} Use the card images of policies instead.`,
    group: "Insurance",
    deprecated: true,
    scope: "system/patients.read",
    params,
    response: z.array(cardResponse),
    status: 200,
    handle: async ({ access, origin, params, url }) => {
      const { practice_id } = await getPatient(access, params.id);
      countLegacyUse(origin, practice_id, "reads");
      return { body: toCardDtos(await listCards(params.id), url) };
    },
  }),
  POST: endpoint({
    name: "insurance_cards.create",
    summary: "Upload a card by priority",
    description: `${DEPRECATED} Returns 422 \`policy_id_required\` if Insurance Versioning is on: use the card images of policies. ${IF_MATCH}`,
    group: "Insurance",
    conditional: true,
    deprecated: true,
    errors: [409, 422],
    scope: "system/patients.write",
    source: "legacy_api",
    params,
    body: json(cardInput),
    headers: ["Sync-Status"],
    status: 201,
    handle: async ({ access, origin, params, ifMatch, body: { rank, side, image: sent }, requester }) => {
      const request = { access, origin, patientId: params.id };
      await requireLegacyCardsAllowed(request, { ifMatch });
      const processed = await processImage(decodeBase64(sent.base64_content, "base64_content"), { requester });
      const outcome = await withStoredImage(
        processed,
        { createdDate: isoNow(), requestId: origin.requestId },
        (image) => putLegacyCard(request, { rank, side, image, ifMatch }),
      );
      return replyToWrite(outcome, false, {});
    },
  }),
  DELETE: endpoint({
    name: "insurance_cards.delete",
    summary: "Delete a card by priority",
    description: `${DEPRECATED} ${IF_MATCH}`,
    group: "Insurance",
    conditional: true,
    deprecated: true,
    errors: [409, 422],
    scope: "system/patients.write",
    source: "legacy_api",
    params,
    query: cardQuery,
    headers: ["Sync-Status"],
    status: 204,
    handle: async ({ access, origin, params, ifMatch, query: { rank, side } }) => {
      const outcome = await removeLegacyCard({ access, origin, patientId: params.id }, { rank, side, ifMatch });
      return replyToWrite(outcome, false, {});
    },
  }),
});
