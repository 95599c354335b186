// GET card_images/{key}: the bytes of a card image. The signed link is the permission; past its time it names nothing.
import { z } from "zod";
import { NotFoundError } from "@/lib/errors";
import { endpoint } from "@/lib/http/endpoint";
import { imageResponse } from "@/lib/http/reply";
import { route } from "@/lib/http/route";
import { imageStore } from "@/lib/storage/image-store";
import { isValidImageLink } from "@/lib/storage/signed-url";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: endpoint({
    name: "card_images.get",
    scope: "public",
    params: { key: z.uuid() },
    query: { expires: z.coerce.number().int().default(0), signature: z.string().max(100).default("") },
    status: 200,
    handle: async ({ params: { key }, query: { expires, signature } }) => {
      const bytes = isValidImageLink({ key, expires, signature }) ? await imageStore().get(key) : null;
      if (!bytes) throw new NotFoundError("card image");
      return imageResponse(bytes);
    },
  }),
});
