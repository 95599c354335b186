import { toRequestId } from "./request";
import { jsonResponse, toResponse } from "./response";
import { route } from "./route";

interface ProbeReply {
  status: number;
  body: object;
  headers?: Record<string, string>;
}

/** Makes the handlers of a path for load balancers, supervisors and discovery, without authentication and limits. */
export function probe(respond: () => Promise<ProbeReply>): ReturnType<typeof route> {
  return route({
    GET: async (request, context) => {
      const { status, body, headers: own } = await respond();
      const headers = { "x-request-id": toRequestId(request.headers.get("x-request-id")), ...own };
      return toResponse(jsonResponse(status, body, headers), context?.node);
    },
  });
}
