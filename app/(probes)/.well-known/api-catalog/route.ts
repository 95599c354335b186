// GET /.well-known/api-catalog: where the API and its description are (RFC 9727).
import { describeCatalog } from "@/lib/api/openapi/discovery";
import { publicOrigin } from "@/lib/platform/config";
import { probe } from "@/lib/platform/http/probe";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = probe(async () => ({
  status: 200,
  body: describeCatalog(publicOrigin()),
  headers: {
    "content-type": 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
    link: `<${publicOrigin()}/.well-known/api-catalog>; rel="api-catalog"`,
  },
}));
