// Clients and the OAuth endpoints, as client developers use them.

import { createClient } from "@/lib/access/clients/commands";
import { db, sql } from "@/lib/platform/db/sql";
import { type ApiResponse, call } from "./api";

export interface TestClient {
  id: number;
  clientId: string;
  clientSecret: string;
}

type ClientOptions = Partial<Omit<Parameters<typeof createClient>[0], "name">> & { organizationId: number };

/** Creates a client of an organization, in the scopes beta by default. */
export async function seedClient(options: ClientOptions): Promise<TestClient> {
  return createClient({ name: "Test client", practices: [], scopedTokens: true, ...options });
}

/** Builds a token request's form, including the client's credentials. */
export function tokenForm(client: TestClient, fields: Record<string, string> = {}): URLSearchParams {
  const credentials = { client_id: client.clientId, client_secret: client.clientSecret };
  return new URLSearchParams({ grant_type: "client_credentials", ...credentials, ...fields });
}

/** Builds the Authorization header of HTTP Basic, each half form-encoded (RFC 6749 §2.3.1). */
export function basicAuth(id: string, secret: string): Record<string, string> {
  const encoded = [id, secret].map(encodeURIComponent).join(":");
  return { authorization: `Basic ${Buffer.from(encoded).toString("base64")}` };
}

/** Posts a form to `oauth2/token`, `oauth2/revoke` or `oauth2/introspect`; text is sent unchanged. */
export function post(
  endpoint: "token" | "revoke" | "introspect",
  form: URLSearchParams | string,
  headers: Record<string, string> = {},
): Promise<ApiResponse> {
  const type = { "content-type": "application/x-www-form-urlencoded" };
  return call("POST", `oauth2/${endpoint}/`, { body: form.toString(), headers: { ...type, ...headers } });
}

/** Obtains a token from the token endpoint. */
export async function obtainToken(client: TestClient, scope?: string): Promise<string> {
  const response = await post("token", tokenForm(client, scope === undefined ? {} : { scope }));
  if (response.status !== 200) throw new Error(`no token: ${JSON.stringify(response.body)}`);
  return response.body.access_token;
}

/** Counts the tokens that were ever issued to a client. */
export async function countTokens(client: TestClient): Promise<number> {
  const row = await db.first<{ count: number }>(
    sql`SELECT count(*) AS count FROM oauth_token WHERE client_id = ${client.id}`,
  );
  return row?.count ?? 0;
}
