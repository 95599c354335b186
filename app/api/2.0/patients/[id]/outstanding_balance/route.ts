// POST patients/{id}/outstanding_balance/: sets what a patient owes, as reported by the billing system.
import { json } from "@/lib/http/body";
import { endpoint, idParam } from "@/lib/http/endpoint";
import { route } from "@/lib/http/route";
import { toRecordDto } from "@/lib/resources/dto";
import { putOnlyRecord } from "@/lib/resources/only-commands";
import { patientBalances } from "@/lib/resources/patient-profile/patient-balances";
import { answerOf, inputOf } from "@/lib/resources/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  POST: endpoint({
    name: "patient_balances.put",
    summary: "Set what a patient owes",
    scope: "system/patients.write",
    params: { id: idParam },
    body: json(inputOf(patientBalances, "create").omit({ patient_id: true })),
    response: answerOf(patientBalances, "get").omit({ id: true }),
    status: 200,
    handle: async ({ access, params: { id: patientId }, origin, body }) => {
      const row = await putOnlyRecord({ access, origin, patientId }, patientBalances, {
        ...body,
        patient_id: patientId,
      });
      const { id: _id, ...shown } = toRecordDto(patientBalances, "get", row);
      return { body: shown };
    },
  }),
});
