import { toRequestId } from "./request";
import { jsonResponse, toResponse } from "./response";
import { route } from "./route";

/** Makes the handlers of a path for load balancers and supervisors, without authentication and limits. */
export function probe(respond: () => Promise<{ status: number; body: object }>): ReturnType<typeof route> {
  return route({
    GET: async (request, context) => {
      const { status, body } = await respond();
      const headers = { "x-request-id": toRequestId(request.headers.get("x-request-id")) };
      return toResponse(jsonResponse(status, body, headers), context?.node);
    },
  });
}
