// Every API path without its own file: serves the declared resources, and returns 404 for the rest.
import { resources } from "@/generated/resources";
import { NotFoundError } from "@/lib/errors";
import { dispatch } from "@/lib/http/dispatch";
import { endpoint } from "@/lib/http/endpoint";
import { route } from "@/lib/http/route";
import { routesOf } from "@/lib/resources/routes";

const unknown = endpoint({
  name: "unknown",
  scope: "public",
  status: 404,
  handle: async () => {
    throw new NotFoundError("path");
  },
});
const nothing = route({ GET: unknown, POST: unknown, PUT: unknown, PATCH: unknown, DELETE: unknown });

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = dispatch(resources.flatMap(routesOf), {
  ...nothing,
  OPTIONS: unknown,
});
