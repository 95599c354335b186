// POST /docs/demo-token: a token for trying the reference. 404 without the demo.
import { ANONYMOUS } from "@/lib/access/audit/events";
import { issueDemoToken } from "@/lib/api/demo/commands";
import { clientAddress, toRequestId } from "@/lib/platform/http/request";

export async function POST({ headers }: Request): Promise<Response> {
  const header = (name: string) => headers.get(name);
  const access_token = await issueDemoToken({
    actor: ANONYMOUS,
    source: "api",
    reason: null,
    requestId: toRequestId(header("x-request-id")),
    operation: "docs.demo_token",
    path: "/docs/demo-token",
    address: clientAddress(header) || null,
  });
  const init = { headers: { "cache-control": "no-store" }, status: access_token ? 200 : 404 };
  return Response.json(access_token ? { access_token } : { code: "not_found" }, init);
}
