// GET, POST patients. POST also creates the legacy insurances in the body, and returns 409 if the practice has the patient.

import { dryRunQuery, endpoint } from "@/lib/access/endpoints/endpoint";
import { createPatient } from "@/lib/insurance/commands/write-patient";
import { replyWithPatient, toPatientDto } from "@/lib/insurance/patients/dto";
import { patientFilter } from "@/lib/insurance/patients/filter";
import { listPatients, PATIENT_ORDERS, viewPatients } from "@/lib/insurance/patients/queries";
import { patientInput, patientResponse } from "@/lib/insurance/patients/schema";
import { replyToWrite } from "@/lib/insurance/replication/with-locked-patient";
import { json } from "@/lib/platform/http/body";
import { pageQuery, pageSchema, toPage, toPageRequest } from "@/lib/platform/http/pagination";
import { flagQuery } from "@/lib/platform/http/query";
import { route } from "@/lib/platform/http/route";
import { countLegacyUse } from "@/lib/practice/practices/legacy-usage";
import { DEPRECATION_HEADERS, deprecationHeaders } from "@/lib/practice/practices/rules";

const ALLOW_DUPLICATE =
  "Creates the patient even if the practice already has one with the same name, date of birth and sex. Without it, the response is 409, and its `redirect` is the ID of the existing patient. A setting of the practice can allow duplicates.";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: endpoint({
    name: "patients.list",
    summary: "List patients",
    scope: "system/patients.read",
    query: { ...pageQuery(Object.keys(PATIENT_ORDERS)), ...patientFilter },
    response: pageSchema(patientResponse),
    headers: [...DEPRECATION_HEADERS, "Link-Template"],
    status: 200,
    readsMuch: true,
    handle: async ({ access, origin, query, url }) => {
      const page = toPageRequest(query, url);
      const slice = await listPatients(access, query, page);
      const views = await viewPatients(slice.rows);
      const insurances = new Map(views.map((view) => [view.patient.id, view.insurances]));
      const legacy = views.find((view) => view.insurances !== null);
      const readable = views.filter((view) => view.insurances !== null).map(({ patient }) => patient.practice_id);
      for (const practice of new Set(readable)) countLegacyUse(origin, practice, "reads");
      const body = toPage(url, page, slice, (row) => toPatientDto(row, insurances.get(row.id) ?? null));
      const patients = slice.rows.map(({ id }) => id);
      return { body, patients, headers: legacy ? deprecationHeaders(legacy.rules, null, url) : {} };
    },
  }),
  POST: endpoint({
    name: "patients.create",
    summary: "Create a patient",
    errors: [409, 422],
    scope: "system/patients.write",
    source: "legacy_api",
    query: { ...dryRunQuery, allow_duplicate: flagQuery(ALLOW_DUPLICATE) },
    body: json(patientInput),
    response: patientResponse,
    headers: ["Location", "ETag", ...DEPRECATION_HEADERS],
    status: 201,
    handle: async ({ access, origin, query, body, url }) => {
      const request = { access, origin, dryRun: query.dry_run };
      const outcome = await createPatient(request, body, { allowsDuplicate: query.allow_duplicate });
      const { body: patient, headers } = replyWithPatient(outcome.result, url);
      const location = new URL(`/api/2.0/patients/${outcome.result.patient.id}/`, url).href;
      const reply = { body: patient, headers: { location, ...headers }, patients: [outcome.result.patient.id] };
      return replyToWrite(outcome, query.dry_run, reply);
    },
  }),
});
