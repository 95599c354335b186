// GET openapi.json: this API's description, generated from the declarations that serve it. Public, the same for every caller.
import { z } from "zod";
import { endpoint } from "@/lib/access/endpoints/endpoint";
import { toOpenApiText } from "@/lib/api/openapi/document";
import { acceptsGzip, matchesEtag } from "@/lib/platform/http/conditional";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: endpoint({
    name: "openapi",
    scope: "public",
    summary: "Get this OpenAPI document",
    response: z.looseObject({ openapi: z.string(), paths: z.record(z.string(), z.unknown()) }),
    conditional: true,
    headers: ["ETag"],
    status: 200,
    handle: async ({ header }) => {
      // The table of routes imports this file. A dynamic import breaks the cycle.
      const { apiRoutes } = await import("@/generated/api-routes");
      const { text, gzipped, etag } = await toOpenApiText(apiRoutes);
      const headers = { etag, "cache-control": "public, max-age=300", vary: "Accept-Encoding" };
      if (matchesEtag(header("if-none-match"), etag)) return { status: 304, headers };
      return acceptsGzip(header("accept-encoding")) ? { gzipped, headers } : { text, headers };
    },
  }),
});
