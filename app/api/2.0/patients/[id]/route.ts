// GET, PUT, PATCH, DELETE patients/{id}. The effect of `insurances` depends on the practice's Insurance Versioning setting.

import { type ClientCall, dryRunQuery, endpoint, idParam } from "@/lib/access/endpoints/endpoint";
import { updatePatient } from "@/lib/insurance/commands/write-patient";
import { replyWithPatient } from "@/lib/insurance/patients/dto";
import { getPatient, viewPatient } from "@/lib/insurance/patients/queries";
import { type PatientPatch, patientInput, patientPatch, patientResponse } from "@/lib/insurance/patients/schema";
import { replyToWrite } from "@/lib/insurance/replication/with-locked-patient";
import { json } from "@/lib/platform/http/body";
import { route } from "@/lib/platform/http/route";
import { countLegacyUse } from "@/lib/practice/practices/legacy-usage";
import { DEPRECATION_HEADERS } from "@/lib/practice/practices/rules";
import { deletePatient } from "@/lib/records/commands/delete-patient";

const params = { id: idParam };

async function update(call: ClientCall<{ id: number }, { dry_run: boolean }, PatientPatch>) {
  const { access, origin, params, query, body, ifMatch, url } = call;
  const outcome = await updatePatient({ access, origin, patientId: params.id, dryRun: query.dry_run }, body, ifMatch);
  return replyToWrite(outcome, query.dry_run, replyWithPatient(outcome.result, url));
}

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: endpoint({
    name: "patients.get",
    summary: "Get a patient",
    scope: "system/patients.read",
    params,
    response: patientResponse,
    headers: ["ETag", ...DEPRECATION_HEADERS],
    status: 200,
    handle: async ({ access, origin, params, url }) => {
      const view = await viewPatient(await getPatient(access, params.id));
      if (view.insurances) countLegacyUse(origin, view.patient.practice_id, "reads");
      return replyWithPatient(view, url);
    },
  }),
  PUT: endpoint({
    name: "patients.replace",
    summary: "Update a patient",
    description:
      "The effect of `insurances` depends on the practice's Insurance Versioning setting. If omitted, insurances stay unchanged.",
    conditional: true,
    errors: [409, 422],
    scope: "system/patients.write",
    source: "legacy_api",
    params,
    query: dryRunQuery,
    body: json(patientInput),
    response: patientResponse,
    headers: ["ETag", ...DEPRECATION_HEADERS],
    status: 200,
    handle: update,
  }),
  PATCH: endpoint({
    name: "patients.update",
    summary: "Change fields of a patient",
    description:
      "The effect of `insurances` depends on the practice's Insurance Versioning setting. If omitted, insurances stay unchanged.",
    conditional: true,
    errors: [409, 422],
    scope: "system/patients.write",
    source: "legacy_api",
    params,
    query: dryRunQuery,
    body: json(patientPatch),
    response: patientResponse,
    headers: ["ETag", ...DEPRECATION_HEADERS],
    status: 200,
    handle: update,
  }),
  DELETE: endpoint({
    name: "patients.delete",
    summary: "Delete a patient",
    conditional: true,
    errors: [409],
    scope: "system/patients.write",
    source: "legacy_api",
    params,
    status: 204,
    handle: async ({ access, origin, params, ifMatch }) => {
      await deletePatient({ access, origin, patientId: params.id }, ifMatch);
      return {};
    },
  }),
});
