// GET patients/{id}/get_photo/: the older path of profile_image/.
import { endpoint, idParam } from "@/lib/access/endpoints/endpoint";
import { route } from "@/lib/platform/http/route";
import { patientPhotos } from "@/lib/records/catalog/patient-profile/patient-photos";
import { getOnlyRecord } from "@/lib/records/engine/queries";
import { replyOf } from "@/lib/records/engine/routes";
import { answerOf } from "@/lib/records/engine/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: endpoint({
    name: "patient_photos.get",
    summary: "Get a patient's photo",
    scope: "system/patients.read",
    params: { id: idParam },
    response: answerOf(patientPhotos, "get"),
    headers: ["ETag"],
    status: 200,
    handle: async ({ access, params: { id }, url }) =>
      replyOf(access, patientPhotos, "get", await getOnlyRecord(access, patientPhotos, id), { url }),
  }),
});
