// Every API path without its own file: serves the declared resources, and returns 404 for the rest.
import { resources } from "@/generated/resources";
import { endpoint } from "@/lib/access/endpoints/endpoint";
import { NotFoundError } from "@/lib/platform/errors";
import { dispatch, route } from "@/lib/platform/http/route";
import { resourceRoutes } from "@/lib/records/engine/routes";

const unknown = endpoint({
  name: "unknown",
  scope: "public",
  status: 404,
  handle: async () => {
    throw new NotFoundError("path");
  },
});
const nothing = route({ GET: unknown, POST: unknown, PUT: unknown, PATCH: unknown, DELETE: unknown });

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = dispatch(resources.flatMap(resourceRoutes), {
  ...nothing,
  OPTIONS: unknown,
});
