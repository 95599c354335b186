// POST patients/{id}/outstanding_balance/: sets what a patient owes, as reported by the billing system.

import { endpoint, idParam } from "@/lib/access/endpoints/endpoint";
import { json } from "@/lib/platform/http/body";
import { route } from "@/lib/platform/http/route";
import { patientBalances } from "@/lib/records/catalog/patient-profile/patient-balances";
import { toRecordDto } from "@/lib/records/engine/queries";
import { bodySchema, responseSchema } from "@/lib/records/engine/rules";
import { putSingleton } from "@/lib/records/engine/singleton-commands";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  POST: endpoint({
    name: "patient_balances.put",
    summary: "Set what a patient owes",
    scope: "system/patients.write",
    params: { id: idParam },
    body: json(bodySchema(patientBalances, "create").omit({ patient_id: true })),
    response: responseSchema(patientBalances, "get").omit({ id: true }),
    status: 200,
    handle: async ({ access, params: { id: patientId }, origin, body }) => {
      const row = await putSingleton({ access, origin, patientId, ifMatch: null }, patientBalances, {
        ...body,
        patient_id: patientId,
      });
      const { id: _id, ...shown } = toRecordDto(patientBalances, "get", row);
      return { body: shown };
    },
  }),
});
