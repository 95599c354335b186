// POST /docs/demo-token: a token for trying the reference. Returns 404 unless the caller is an admin of the demo.
import { ANONYMOUS } from "@/lib/access/audit/events";
import { findStaffAccess } from "@/lib/access/staff/access";
import { issueDemoToken } from "@/lib/api/demo/commands";
import { clientAddress, toRequestId } from "@/lib/platform/http/request";

export async function POST({ headers }: Request): Promise<Response> {
  const header = (name: string) => headers.get(name);
  const access = await findStaffAccess(header("cookie"), "person");
  const access_token = await issueDemoToken(access, {
    actor: access?.actor ?? ANONYMOUS,
    source: "staff",
    reason: null,
    requestId: toRequestId(header("x-request-id")),
    operation: "docs.demo_token",
    path: "/docs/demo-token",
    address: clientAddress(header) || null,
  });
  const init = { headers: { "cache-control": "no-store" }, status: access_token ? 200 : 404 };
  return Response.json(access_token ? { access_token } : { code: "not_found" }, init);
}
