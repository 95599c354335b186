import { GLOBAL_SCOPE, SPECIFIC_SCOPES } from "@/lib/access/identity/scopes";

/** Describes where the API, its OpenAPI document, its documentation and its status are (RFC 9727, RFC 9264). */
export function describeCatalog(origin: string): object {
  return {
    linkset: [
      {
        anchor: `${origin}/api/2.0/`,
        "service-desc": [{ href: `${origin}/api/2.0/openapi.json`, type: "application/json" }],
        "service-doc": [{ href: `${origin}/docs`, type: "text/html" }],
        "service-meta": [{ href: `${origin}/.well-known/oauth-authorization-server`, type: "application/json" }],
        status: [{ href: `${origin}/healthz`, type: "application/json" }],
      },
    ],
  };
}

/** Describes how clients get, revoke and inspect tokens (RFC 8414). */
export function describeAuthorizationServer(origin: string): object {
  const api = `${origin}/api/2.0/oauth2`;
  const methods = ["client_secret_basic", "client_secret_post"];
  return {
    issuer: origin,
    token_endpoint: `${api}/token/`,
    token_endpoint_auth_methods_supported: methods,
    revocation_endpoint: `${api}/revoke/`,
    revocation_endpoint_auth_methods_supported: methods,
    introspection_endpoint: `${api}/introspect/`,
    introspection_endpoint_auth_methods_supported: methods,
    grant_types_supported: ["client_credentials"],
    // No grant of this server has an authorization endpoint.
    response_types_supported: [],
    scopes_supported: [GLOBAL_SCOPE, ...SPECIFIC_SCOPES],
    service_documentation: `${origin}/docs/guides/first-token`,
  };
}
