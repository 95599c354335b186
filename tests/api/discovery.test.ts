// What clients find at well-known addresses: where the API is described, and how they get tokens. All of it works.
import type http from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { apiRoutes } from "@/generated/api-routes";
import { probeRoutes } from "@/generated/probe-routes";
import { createServer, listen, stopServer } from "@/lib/platform/http/server";
import { freePort } from "@/scripts/lib/free-port.mjs";
import { seedBasics } from "../support/api";
import { seedClient } from "../support/oauth";
import { SPECIFIED_SCOPES } from "../support/specified-scopes";

const port = await freePort();
const origin = `http://127.0.0.1:${port}`;
process.env.PUBLIC_URL = origin;

let server: http.Server;
beforeAll(async () => {
  const pages = async (_req: http.IncomingMessage, res: http.ServerResponse) => void res.end("a page");
  server = createServer({ routes: { api: apiRoutes, staff: [], probes: probeRoutes }, pages, trustProxy: false });
  await listen(server, { port, host: "127.0.0.1" });
});
afterAll(() => stopServer(server, 1_000));

test("the API catalog (RFC 9727) names the description, the documentation and the metadata, and each address responds", async () => {
  const response = await fetch(`${origin}/.well-known/api-catalog`);
  expect([response.status, response.headers.get("content-type")]).toEqual([
    200,
    'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
  ]);
  expect(response.headers.get("link")).toBe(`<${origin}/.well-known/api-catalog>; rel="api-catalog"`);
  const { linkset } = (await response.json()) as { linkset: { anchor: string }[] };
  const [{ anchor, ...relations } = { anchor: "" }] = linkset;
  expect(anchor).toBe(`${origin}/api/2.0/`);
  expect(Object.keys(relations)).toEqual(["service-desc", "service-doc", "service-meta", "status"]);
  for (const [{ href } = { href: "" }] of Object.values<{ href: string }[]>(relations))
    expect([href, (await fetch(href)).status]).toEqual([href, 200]);
  const head = await fetch(`${origin}/.well-known/api-catalog`, { method: "HEAD" });
  expect([head.status, head.headers.get("link")]).toEqual([200, response.headers.get("link")]);
});

test("the metadata of the authorization server (RFC 8414) leads to a token, by each method that it names", async () => {
  const metadata = await (await fetch(`${origin}/.well-known/oauth-authorization-server`)).json();
  expect(metadata).toMatchObject({ issuer: origin, grant_types_supported: ["client_credentials"] });
  expect(metadata.scopes_supported.toSorted()).toEqual(["apiv2", ...SPECIFIED_SCOPES].sort());
  const { organization: organizationId, enabled } = await seedBasics();
  const { clientId, clientSecret } = await seedClient({ organizationId, practices: [enabled] });
  const basic = { authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString("base64")}` };
  const [grant_type] = metadata.grant_types_supported;
  const ways: Record<string, [Record<string, string>, Record<string, string>]> = {
    client_secret_basic: [basic, {}],
    client_secret_post: [{}, { client_id: clientId, client_secret: clientSecret }],
  };
  expect(metadata.token_endpoint_auth_methods_supported).toEqual(Object.keys(ways));
  for (const [headers, credentials] of Object.values(ways)) {
    const post = (address: string, form: Record<string, string>) =>
      fetch(address, { method: "POST", headers, body: new URLSearchParams({ ...form, ...credentials }) });
    const { access_token } = await (await post(metadata.token_endpoint, { grant_type })).json();
    const inspect = async () =>
      (await (await post(metadata.introspection_endpoint, { token: access_token })).json()).active;
    expect(await inspect()).toBe(true);
    expect((await post(metadata.revocation_endpoint, { token: access_token })).status).toBe(200);
    expect(await inspect()).toBe(false);
  }
});
