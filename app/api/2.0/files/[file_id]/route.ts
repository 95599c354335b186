// GET files/{file_id}: the bytes of a record's file. Authorized by the signed link alone; returns 404 after it expires.

import { endpoint, idParam } from "@/lib/access/endpoints/endpoint";
import { verifyLink } from "@/lib/access/endpoints/signed-links";
import { NotFoundError } from "@/lib/platform/errors";
import { ANY_TYPE } from "@/lib/platform/http/response";
import { route } from "@/lib/platform/http/route";
import { fileLinkState, signedLinkQuery } from "@/lib/platform/storage/signed-url";
import { dataSubjects, findLinkedFile } from "@/lib/records/engine/queries";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: endpoint({
    name: "files.get",
    summary: "Get the bytes of a record's file by its signed link",
    description: "Authorized by the signed link, which expires. The content type is the one sent with the file.",
    produces: [ANY_TYPE],
    group: "Patient document",
    scope: "public",
    params: { file_id: idParam },
    query: signedLinkQuery,
    status: 200,
    handle: async ({ params: { file_id }, query: { expires, signature }, origin }) => {
      const isAdmitted = await verifyLink(fileLinkState({ key: String(file_id), expires, signature }), origin);
      const file = isAdmitted ? await findLinkedFile(file_id) : null;
      if (!file) throw new NotFoundError("file");
      const { content: bytes, content_type: contentType, filename } = file;
      return { file: { bytes, contentType, filename }, ...dataSubjects({ owner: "patient" }, [file]) };
    },
  }),
});
