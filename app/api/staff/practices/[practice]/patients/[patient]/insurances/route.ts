// PUT practices/{practice}/patients/{patient}/insurances: replaces all insurances. Returns 409 if Insurance Versioning is on.
import { z } from "zod";
import { json } from "@/lib/http/body";
import { dryRunQuery, idParam } from "@/lib/http/endpoint";
import { replyToWrite } from "@/lib/http/outcome";
import { route } from "@/lib/http/route";
import { staffEndpoint } from "@/lib/http/staff-endpoint";
import { updatePatient } from "@/lib/patients/commands/write-patient";
import { insuranceInput } from "@/lib/patients/schema";

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
