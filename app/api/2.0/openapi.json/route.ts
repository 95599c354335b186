// GET openapi.json: this API's description, generated from the declarations that serve it. Public, the same for every caller.
import { z } from "zod";
import { isSameTag, takesGzip } from "@/lib/http/conditional";
import { endpoint } from "@/lib/http/endpoint";
import { route } from "@/lib/http/route";
import { toDescriptionText } from "@/lib/openapi/dto";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: endpoint({
    name: "openapi",
    scope: "public",
    summary: "Get this description",
    response: z.looseObject({ openapi: z.string(), paths: z.record(z.string(), z.unknown()) }),
    conditional: true,
    headers: ["ETag"],
    status: 200,
    handle: async ({ header }) => {
      // The table holds this file, too: asked for late, each can be loaded first.
      const { apiRoutes } = await import("@/generated/api-routes");
      const { text, gzipped, etag } = toDescriptionText(apiRoutes);
      const headers = { etag, "cache-control": "public, max-age=300", vary: "Accept-Encoding" };
      if (isSameTag(header("if-none-match"), etag)) return { status: 304, headers };
      return takesGzip(header("accept-encoding")) ? { gzipped, headers } : { text, headers };
    },
  }),
});
