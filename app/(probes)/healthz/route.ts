// GET /healthz: this process responds. Checks nothing else, because restarting a server does not restore its database.
import { probe } from "@/lib/platform/http/probe";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = probe(async () => ({
  status: 200,
  body: { status: "ok" },
}));
