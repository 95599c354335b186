// GET card_images/{key}: authorized by the signed link alone. Returns 404 if it expired, or if the stored bytes were altered.
import { z } from "zod";
import { endpoint } from "@/lib/access/endpoints/endpoint";
import { verifyLink } from "@/lib/access/endpoints/signed-links";
import { findImageRecord } from "@/lib/insurance/images/image-queries";
import { NotFoundError } from "@/lib/platform/errors";
import { route } from "@/lib/platform/http/route";
import { readImage } from "@/lib/platform/storage/read-image";
import { imageLinkState, signedLinkQuery } from "@/lib/platform/storage/signed-url";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: endpoint({
    name: "card_images.get",
    summary: "Get the bytes of a card image by its signed link",
    description: "Authorized by the signed link, which expires after its `ttl`.",
    group: "Insurance",
    scope: "public",
    params: { key: z.uuid() },
    query: signedLinkQuery,
    produces: ["image/jpeg", "image/png"],
    status: 200,
    handle: async ({ params: { key }, query: { expires, signature }, origin, requestId }) => {
      const isAdmitted = await verifyLink(imageLinkState({ key, expires, signature }), origin);
      const record = isAdmitted ? await findImageRecord(key) : null;
      const image = record && (await readImage({ key, sha256: record.sha256 }, requestId));
      if (!image) throw new NotFoundError("card image");
      return { image, patients: [record.patient_id] };
    },
  }),
});
