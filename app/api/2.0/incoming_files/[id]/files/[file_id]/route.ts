// GET incoming_files/{id}/files/{file_id}/: the bytes of a file the practice received.

import { endpoint, idParam } from "@/lib/access/endpoints/endpoint";
import { NotFoundError } from "@/lib/platform/errors";
import { ANY_TYPE } from "@/lib/platform/http/response";
import { route } from "@/lib/platform/http/route";
import { incomingFiles } from "@/lib/records/catalog/patient-document/incoming-files";
import { dataSubjects, getFile, getRecord } from "@/lib/records/engine/queries";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: endpoint({
    name: "incoming_files.file",
    summary: "Get the bytes of an incoming file",
    description: "The content type is the one sent with the file, or else inferred from its name.",
    produces: [ANY_TYPE],
    scope: "system/incoming_files.read",
    params: { id: idParam, file_id: idParam },
    status: 200,
    handle: async ({ access, params: { id, file_id } }) => {
      const group = await getRecord(access, incomingFiles, id);
      const isInGroup = group.data.files?.some((file) => file.id === file_id);
      if (!isInGroup) throw new NotFoundError("file");
      return { file: await getFile(access, file_id), ...dataSubjects(incomingFiles, [group]) };
    },
  }),
});
