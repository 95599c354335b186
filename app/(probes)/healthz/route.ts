// GET /healthz: this process responds. It says nothing about what the process needs, so that a failed database does not restart servers.
import { probe } from "@/lib/platform/http/probe";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = probe(async () => ({
  status: 200,
  body: { status: "ok" },
}));
