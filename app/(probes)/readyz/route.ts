// GET /readyz: whether this process can serve requests, for load balancers. 503 if not.
import { probe } from "@/lib/platform/http/probe";
import { readiness } from "@/lib/platform/readiness";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = probe(async () => {
  const { isReady, checks } = await readiness();
  return { status: isReady ? 200 : 503, body: { status: isReady ? "ready" : "not ready", checks } };
});
