// GET patients/{id}/get_photo/: the older path of profile_image/.
import { endpoint, idParam } from "@/lib/access/endpoints/endpoint";
import { route } from "@/lib/platform/http/route";
import { patientPhotos } from "@/lib/records/catalog/patient-profile/patient-photos";
import { getSingleton } from "@/lib/records/engine/queries";
import { recordReply } from "@/lib/records/engine/routes";
import { responseSchema } from "@/lib/records/engine/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: endpoint({
    name: "patient_photos.get",
    summary: "Get a patient's photo",
    scope: "system/patients.read",
    params: { id: idParam },
    response: responseSchema(patientPhotos, "get"),
    headers: ["ETag"],
    status: 200,
    handle: async ({ access, params: { id }, url }) =>
      recordReply(access, patientPhotos, "get", await getSingleton(access, patientPhotos, id), { url }),
  }),
});
