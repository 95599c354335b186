// PUT practices/{practice}/patients/{patient}/insurances: replaces all insurances. Returns 409 if Insurance Versioning is on.

import { z } from "zod";
import { dryRunQuery, idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { updatePatient } from "@/lib/insurance/commands/write-patient";
import { insuranceInput } from "@/lib/insurance/patients/schema";
import { replyToWrite } from "@/lib/insurance/replication/with-locked-patient";
import { json } from "@/lib/platform/http/body";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  PUT: staffEndpoint({
    name: "staff.insurances.replace",
    role: "staff",
    params: { practice: idParam, patient: idParam },
    query: dryRunQuery,
    body: json(z.strictObject({ insurances: z.array(insuranceInput).max(50) })),
    status: 200,
    versioned: true,
    handle: async ({ access, origin, params, query, body, ifMatch }) => {
      const request = { access, origin, patientId: params.patient, dryRun: query.dry_run };
      const outcome = await updatePatient(request, body, ifMatch, "legacy");
      return replyToWrite(outcome, query.dry_run, { body: { version: outcome.result.patient.version } });
    },
  }),
});
