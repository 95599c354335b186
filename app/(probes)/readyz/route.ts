// GET /readyz: whether this process can serve requests, for load balancers. 503 if not.
import { probe } from "@/lib/platform/http/probe";
import { readinessReply } from "@/lib/platform/readiness";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = probe(readinessReply);
