// GET incoming_files/{id}/images/{image_id}/: a page the practice received, in full or as a preview.
import { z } from "zod";
import { endpoint, idParam } from "@/lib/access/endpoints/endpoint";
import { NotFoundError } from "@/lib/platform/errors";
import { route } from "@/lib/platform/http/route";
import { renderPreview } from "@/lib/platform/storage/process-image";
import { incomingFiles } from "@/lib/records/catalog/patient-document/incoming-files";
import { dataSubjects, getFile, getRecord } from "@/lib/records/engine/queries";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: endpoint({
    name: "incoming_files.image",
    summary: "Get the bytes of an incoming page",
    produces: ["image/jpeg", "image/png"],
    scope: "system/incoming_files.read",
    params: { id: idParam, image_id: idParam },
    query: {
      size: z
        .enum(["preview", "print"])
        .default("preview")
        .describe("`print` is the page as received, `preview` a smaller image for lists."),
    },
    status: 200,
    handle: async ({ access, params: { id, image_id }, query: { size }, requester }) => {
      const group = await getRecord(access, incomingFiles, id);
      const isInGroup = group.data.images?.some((image) => image.id === image_id);
      if (!isInGroup) throw new NotFoundError("image");
      const file = await getFile(access, image_id);
      const shown = dataSubjects(incomingFiles, [group]);
      return {
        file: size === "print" ? file : { ...file, bytes: await renderPreview(file.bytes, requester) },
        ...shown,
      };
    },
  }),
});
