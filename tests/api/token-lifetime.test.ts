// How long a token works: expiry, revocation, introspection, secrets, and throttling of wrong secrets.
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  addSecret,
  disableClient,
  removeExpiredTokens,
  removeSecret,
  revokeToken,
  verifyClient,
} from "@/lib/access/clients/commands";
import { introspectionResponse } from "@/lib/access/clients/schema";
import { grantToken } from "@/lib/access/endpoints/oauth-form";
import { systemOrigin } from "@/lib/access/identity/access";
import { setClock } from "@/lib/platform/clock";
import { db, sql } from "@/lib/platform/db/sql";
import { type Basics, call, seedBasics, tokenFor } from "@/tests/support/api";
import {
  basicAuth,
  countTokens,
  obtainToken,
  post,
  seedClient,
  type TestClient,
  tokenForm,
} from "@/tests/support/oauth";

/** The longest time that a process may trust a token without checking it. */
const GRACE_MS = 5_000;
process.env.TOKEN_CACHE_MS = String(GRACE_MS);
process.env.WRONG_SECRET_LIMIT = "3";

const ORIGIN = systemOrigin({ source: "policies_api", operation: "tests.revoke", name: "Tests" });

let basics: Basics;
let client: TestClient;
let other: TestClient;

beforeAll(async () => {
  basics = await seedBasics();
  client = await seedBasicsClient();
  other = await seedBasicsClient();
});
afterEach(() => setClock());

const seedBasicsClient = () => seedClient({ organizationId: basics.organization, practices: [basics.enabled] });
const statusOf = async (token: string) => (await call("GET", "practices/", { token })).status;
const later = (ms: number) => {
  const at = Date.now() + ms;
  setClock({ now: () => new Date(at) });
};
const withToken = (from: TestClient, token: string) => tokenForm(from, { token });

describe("a token", () => {
  test("works until the last second of its lifetime and no longer", async () => {
    const token = await tokenFor({
      organizationId: basics.organization,
      practices: [basics.enabled],
      lifetimeSeconds: 60,
    });
    expect(await statusOf(token)).toBe(200);
    later(59_000);
    expect(await statusOf(token)).toBe(200);
    later(60_001);
    expect(await statusOf(token)).toBe(401);
  });

  test("is deleted a day after it expired", async () => {
    await tokenFor({ organizationId: basics.organization, practices: [], lifetimeSeconds: 60 });
    later(60_000 + 86_400_001);
    expect(await removeExpiredTokens()).toBeGreaterThan(0);
    expect(await removeExpiredTokens()).toBe(0);
    setClock();
    expect(await statusOf(basics.token)).toBe(200);
  });

  test("stops working immediately in the process that revoked it", async () => {
    const token = await obtainToken(client);
    expect(await statusOf(token)).toBe(200);
    const response = await post("revoke", withToken(client, token));
    expect([response.status, response.body.length, response.headers.get("cache-control")]).toEqual([
      200,
      0,
      "no-store",
    ]);
    expect(await statusOf(token)).toBe(401);
  });

  test.each([
    [
      "being revoked in another process",
      async ({ id }: TestClient, token: string) =>
        revokeToken({ id, name: "Test client", practices: [] }, token, ORIGIN),
      true,
    ],
    ["disabling its client", async ({ id }: TestClient) => disableClient(id), false],
    [
      "removing the secret that created it",
      async (ownClient: TestClient) => removeSecret(ownClient.id, await firstSecret(ownClient)),
      false,
    ],
  ])("stops working within five seconds of %s", async (_case, end, stillAClient) => {
    const ownClient = await seedBasicsClient();
    const token = await obtainToken(ownClient);
    expect(await statusOf(token)).toBe(200);
    await end(ownClient, token);
    later(GRACE_MS);
    expect(await statusOf(token)).toBe(401);
    const again = await post("token", tokenForm(ownClient));
    expect(again.body.error).toBe(stillAClient ? undefined : "invalid_client");
  });

  test("stops working if the clock of a process that has cached it is set back", async () => {
    const token = await obtainToken(client);
    later(3_600_000);
    expect(await statusOf(token)).toBe(200);
    await revokeToken({ id: client.id, name: "Test client", practices: [] }, token, ORIGIN);
    setClock();
    expect(await statusOf(token)).toBe(401);
  });

  test("loses a practice within five seconds after its client does", async () => {
    const ownClient = await seedBasicsClient();
    const token = await obtainToken(ownClient);
    expect((await call("GET", `practices/${basics.enabled}/`, { token })).status).toBe(200);
    await db.run(sql`DELETE FROM oauth_client_practice WHERE client_id = ${ownClient.id}`);
    later(GRACE_MS);
    expect((await call("GET", `practices/${basics.enabled}/`, { token })).status).toBe(404);
  });
});

async function firstSecret(ownClient: TestClient): Promise<number> {
  return (await verifyClient(ownClient.clientId, ownClient.clientSecret))?.secretId ?? 0;
}

describe("two secrets of one client", () => {
  test("are both valid during a rotation, a third is rejected, and a removed one ends its tokens", async () => {
    const ownClient = await seedBasicsClient();
    const added = await addSecret(ownClient.id);
    await expect(addSecret(ownClient.id)).rejects.toThrow("two active secrets");
    const renewed = { ...ownClient, clientSecret: added.clientSecret };
    const [old, fresh] = [await obtainToken(ownClient), await obtainToken(renewed)];
    await removeSecret(ownClient.id, await firstSecret(ownClient));
    later(GRACE_MS);
    expect([await statusOf(old), await statusOf(fresh)]).toEqual([401, 200]);
    expect((await post("token", tokenForm(ownClient))).status).toBe(401);
    expect((await post("token", tokenForm(renewed))).status).toBe(200);
  });

  test("never become three under concurrent calls", async () => {
    const ownClient = await seedBasicsClient();
    const calls = await Promise.allSettled(Array.from({ length: 6 }, () => addSecret(ownClient.id)));
    expect(calls.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    await expect(addSecret(999_999_999)).rejects.toThrow("No such client");
  });

  test("gets no token if it is removed between its check and the token", async () => {
    const grant = { clientId: client.id, secretId: 999_999_999, scopes: ["apiv2"], lifetimeSeconds: 60 };
    await expect(grantToken(grant)).rejects.toMatchObject({ status: 401, error: "invalid_client" });
  });

  test("can't be removed by another client", async () => {
    await expect(removeSecret(client.id, await firstSecret(other))).rejects.toThrow("No such secret");
  });
});

describe("revocation", () => {
  test("succeeds and changes nothing if the token is another client's, unknown or revoked", async () => {
    const token = await obtainToken(other);
    for (const target of [token, "cwt_unknown", "x".repeat(5000)]) {
      expect((await post("revoke", withToken(client, target))).status).toBe(200);
    }
    expect(await statusOf(token)).toBe(200);
    await post("revoke", withToken(other, token));
    expect((await post("revoke", withToken(other, token))).status).toBe(200);
  });

  test.each(["revoke", "introspect"] as const)("%s requires the client's credentials and a token", async (endpoint) => {
    const token = await obtainToken(client);
    expect((await post(endpoint, new URLSearchParams({ token }))).body.error).toBe("invalid_client");
    const wrong = await post(endpoint, withToken({ ...(await seedBasicsClient()), clientSecret: "x" }, token));
    expect([wrong.status, wrong.body.error]).toEqual([401, "invalid_client"]);
    const none = await post(endpoint, tokenForm(client));
    expect([none.status, none.body.error]).toEqual([400, "invalid_request"]);
    expect(none.body.error_description).toContain("token");
    const both = await post(endpoint, withToken(client, token), basicAuth(client.clientId, client.clientSecret));
    expect(both.body.error).toBe("invalid_request");
    const basic = await post(endpoint, `token=${token}`, basicAuth(client.clientId, client.clientSecret));
    expect(basic.status).toBe(200);
  });
});

describe("introspection", () => {
  test("shows what the client's own token allows", async () => {
    const before = Math.floor(Date.now() / 1000);
    const token = await obtainToken(client, "system/patients.read system/bills.write");
    const { status, body, headers } = await post("introspect", withToken(client, token));
    expect([status, headers.get("cache-control")]).toEqual([200, "no-store"]);
    expect(introspectionResponse.strict().parse(body)).toMatchObject({
      active: true,
      scope: "system/patients.read system/bills.write",
      client_id: client.clientId,
      token_type: "Bearer",
    });
    expect(body.iat).toBeGreaterThanOrEqual(before);
    expect(body.exp - body.iat).toBe(36_000);
  });

  test("reveals nothing about a token that is foreign, unknown, revoked or expired", async () => {
    const revoked = await obtainToken(client);
    await post("revoke", withToken(client, revoked));
    const expired = await obtainToken(client);
    for (const token of [await obtainToken(other), "cwt_unknown", revoked]) {
      expect((await post("introspect", withToken(client, token))).body).toEqual({ active: false });
    }
    later(36_000_001);
    expect((await post("introspect", withToken(client, expired))).body).toEqual({ active: false });
  });
});

describe("429", () => {
  test("wrong secrets count together at all three endpoints; the limit blocks even the right one, but no other client", async () => {
    const ownClient = await seedBasicsClient();
    const guess = tokenForm({ ...ownClient, clientSecret: "guess" });
    const guesses = [await post("token", guess), await post("revoke", guess), await post("introspect", guess)];
    expect(guesses.map(({ status }) => status)).toEqual([401, 401, 401]);
    const tokens = await countTokens(ownClient);
    for (const endpoint of ["token", "revoke", "introspect"] as const) {
      const { status, body, headers } = await post(endpoint, tokenForm(ownClient));
      expect([status, body.code]).toEqual([429, "rate_limited"]);
      expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
      expect(Number(headers.get("retry-after"))).toBeLessThanOrEqual(60);
    }
    expect(await countTokens(ownClient)).toBe(tokens);
    expect((await post("token", tokenForm(other))).status).toBe(200);
  });

  test("guesses from one address do not lock out the client elsewhere", async () => {
    const ownClient = await seedBasicsClient();
    const from = (address: string) => ({ "x-crosswalk-peer": address });
    const guess = tokenForm({ ...ownClient, clientSecret: "guess" });
    for (let tries = 0; tries < 4; tries++) await post("token", guess, from("192.0.2.1"));
    expect((await post("token", tokenForm(ownClient), from("192.0.2.1"))).status).toBe(429);
    expect((await post("token", tokenForm(ownClient), from("192.0.2.2"))).status).toBe(200);
  });

  test("a right secret is never counted", async () => {
    for (let tries = 0; tries < 6; tries++) expect((await post("token", tokenForm(client))).status).toBe(200);
  });
});

describe("Bearer errors (RFC 6750 §3)", () => {
  const get = (authorization?: string) =>
    call("GET", "practices/", authorization === undefined ? {} : { headers: { authorization } });

  test.each([undefined, "", "Basic dXNlcjpwYXNz", "Token abc", "abc"])(
    "401 without an error code if no token is sent: %s",
    async (authorization) => {
      const { status, body, headers } = await get(authorization);
      expect([status, body.code]).toEqual([401, "not_authenticated"]);
      expect(headers.get("www-authenticate")).toBe('Bearer realm="api"');
    },
  );

  test.each(["Bearer", "Bearer ", "Bearer a b", "Bearer §", "Bearer unknown", `Bearer ${"a".repeat(10_000)}`])(
    "401 invalid_token: %.24s",
    async (authorization) => {
      const { status, body, headers } = await get(authorization);
      expect([status, body.code]).toEqual([401, "invalid_token"]);
      expect(headers.get("www-authenticate")).toContain('error="invalid_token"');
    },
  );

  test("a token in the query or in the form of a body is ignored", async () => {
    const token = await obtainToken(client);
    expect((await call("GET", `practices/?access_token=${token}`)).status).toBe(401);
  });

  test("the scheme's name is case-insensitive", async () => {
    expect((await get(`bearer ${await obtainToken(client)}`)).status).toBe(200);
  });

  test("403 insufficient_scope names the required scope, in the challenge and in the body", async () => {
    const token = await obtainToken(client, "system/patients.read");
    const { status, body, headers } = await call("POST", "patients/", { token, body: {} });
    expect([status, body.code]).toEqual([403, "insufficient_scope"]);
    expect(body.detail).toContain("system/patients.write");
    const challenge = headers.get("www-authenticate") ?? "";
    expect(challenge).toContain('error="insufficient_scope"');
    expect(challenge).toContain('scope="system/patients.write"');
  });
});
