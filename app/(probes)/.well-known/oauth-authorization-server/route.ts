// GET /.well-known/oauth-authorization-server: how clients get tokens (RFC 8414).
import { describeAuthorizationServer } from "@/lib/api/openapi/discovery";
import { publicOrigin } from "@/lib/platform/config";
import { probe } from "@/lib/platform/http/probe";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = probe(async () => ({
  status: 200,
  body: describeAuthorizationServer(publicOrigin()),
}));
