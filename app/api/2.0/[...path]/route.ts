// Every path of the API that no other file serves: 404, with or without a token.
import { NotFoundError } from "@/lib/errors";
import { endpoint } from "@/lib/http/endpoint";
import { route } from "@/lib/http/route";

const unknown = endpoint({
  name: "unknown",
  scope: "public",
  status: 404,
  handle: async () => {
    throw new NotFoundError("path");
  },
});

export const OPTIONS = unknown;
export const { GET, POST, PUT, PATCH, DELETE, HEAD } = route({
  GET: unknown,
  POST: unknown,
  PUT: unknown,
  PATCH: unknown,
  DELETE: unknown,
});
