// GET, POST, DELETE patients/{id}/profile_image/: a new photo replaces the old one.

import { endpoint, idParam } from "@/lib/access/endpoints/endpoint";
import { getPatient } from "@/lib/insurance/patients/queries";
import { ValidationError } from "@/lib/platform/errors";
import { json } from "@/lib/platform/http/body";
import { route } from "@/lib/platform/http/route";
import { patientPhotos } from "@/lib/records/catalog/patient-profile/patient-photos";
import { getSingleton } from "@/lib/records/engine/queries";
import { recordReply } from "@/lib/records/engine/routes";
import { bodySchema, responseSchema } from "@/lib/records/engine/rules";
import { deleteSingleton, putSingleton } from "@/lib/records/engine/singleton-commands";

const params = { id: idParam };
const response = responseSchema(patientPhotos, "get");

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: endpoint({
    name: "profile_image.get",
    summary: "Get a patient's photo",
    scope: "system/patients.read",
    params,
    response,
    headers: ["ETag"],
    status: 200,
    handle: async ({ access, params: { id }, url }) =>
      recordReply(access, patientPhotos, "get", await getSingleton(access, patientPhotos, id), { url }),
  }),
  POST: endpoint({
    name: "profile_image.put",
    summary: "Set a patient's photo",
    conditional: true,
    scope: "system/patients.write",
    params,
    body: json(bodySchema(patientPhotos, "create")),
    response,
    headers: ["ETag"],
    status: 200,
    handle: async ({ access, params: { id: patientId }, ifMatch, origin, body, url, requester }) => {
      await getPatient(access, patientId);
      if (body.patient !== patientId) throw new ValidationError({ patient: ["Must be the patient in the path."] });
      const photo = await putSingleton({ access, origin, patientId, ifMatch, requester }, patientPhotos, body);
      return recordReply(access, patientPhotos, "get", photo, { url });
    },
  }),
  DELETE: endpoint({
    name: "profile_image.delete",
    summary: "Delete a patient's photo",
    conditional: true,
    scope: "system/patients.write",
    params,
    status: 204,
    handle: async ({ access, params: { id: patientId }, ifMatch, origin }) => {
      await deleteSingleton({ access, origin, patientId, ifMatch }, patientPhotos);
      return {};
    },
  }),
});
