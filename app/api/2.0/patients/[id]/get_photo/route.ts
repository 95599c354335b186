// GET patients/{id}/get_photo/: the older path of profile_image/.
import { endpoint, idParam } from "@/lib/http/endpoint";
import { route } from "@/lib/http/route";
import { patientPhotos } from "@/lib/resources/patient-profile/patient-photos";
import { getOnlyRecord } from "@/lib/resources/queries";
import { replyOf } from "@/lib/resources/routes";
import { answerOf } from "@/lib/resources/rules";

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
