// Tokens permanently lose what their client loses; token events are audited (ADR 0110, 0111).
import { beforeAll, describe, expect, test } from "vitest";
import { disableClient, issueToken, verifyClient } from "@/lib/access/clients/commands";
import { db, sql } from "@/lib/platform/db/sql";
import { type Basics, call, seedBasics } from "@/tests/support/api";
import { withFullAudit } from "@/tests/support/audit";
import { obtainToken, post, seedClient, type TestClient, tokenForm } from "@/tests/support/oauth";
import { INSTALLATION, securityEventsOf } from "@/tests/support/security-events";
import { type SignedIn, signInAs, staffCallAs } from "@/tests/support/staff";

process.env.TOKEN_CACHE_MS = "0";
process.env.WRONG_SECRET_LIMIT = "3";

let basics: Basics;
let admin: SignedIn;
beforeAll(async () => {
  basics = await seedBasics();
  admin = await signInAs("admin", [basics.enabled, basics.disabled]);
});

const READ = "system/patients.read";
const WRITE = "system/patients.write";
const newClient = () => seedClient({ organizationId: basics.organization, practices: [basics.enabled] });
const statusOf = async (token: string) => (await call("GET", "patients/", { token })).status;
const change = async (client: TestClient, body: object) => {
  const response = await staffCallAs(admin, "PATCH", `practices/${basics.enabled}/clients/${client.id}`, { body });
  expect(response.status).toBe(204);
};

describe("a token", () => {
  test("permanently loses the scopes that its client loses", async () => {
    const client = await newClient();
    const [wide, narrow] = [await obtainToken(client, `${READ} ${WRITE}`), await obtainToken(client, READ)];
    await change(client, { allowed_scopes: [READ] });
    expect([await statusOf(wide), await statusOf(narrow)]).toEqual([401, 200]);
    await change(client, { allowed_scopes: [] });
    expect([await statusOf(wide), await statusOf(narrow)]).toEqual([401, 200]);
  });

  test("ends if it has all scopes and its client is limited to some", async () => {
    const client = await newClient();
    const token = await obtainToken(client);
    await change(client, { allowed_scopes: [READ] });
    expect(await statusOf(token)).toBe(401);
  });

  test("ends if it has individual scopes and its client leaves the scopes beta", async () => {
    const client = await newClient();
    const token = await obtainToken(client, READ);
    await change(client, { scoped_tokens: false });
    expect(await statusOf(token)).toBe(401);
  });

  test("allows what its client may do now, even if the grants are changed in the database", async () => {
    const client = await newClient();
    const token = await obtainToken(client, `${READ} ${WRITE}`);
    await db.run(sql`UPDATE oauth_client SET allowed_scopes = ${[WRITE]} WHERE id = ${client.id}`);
    expect(await statusOf(token)).toBe(403);
    expect((await post("introspect", tokenForm(client, { token }))).body.scope).toBe(WRITE);
  });

  test("stays revoked when its disabled client is enabled again", async () => {
    for (const disable of [
      (client: TestClient) => change(client, { disabled: true }),
      (client: TestClient) => disableClient(client.id),
    ]) {
      const client = await newClient();
      const token = await obtainToken(client);
      await disable(client);
      await change(client, { disabled: false });
      expect(await statusOf(token)).toBe(401);
      expect(await statusOf(await obtainToken(client))).toBe(200);
    }
  });

  test("is not issued to a client that is disabled after its secret was checked", async () => {
    const client = await newClient();
    const secretId = (await verifyClient(client.clientId, client.clientSecret))?.secretId ?? 0;
    const issue = (scopes: string[]) => issueToken({ clientId: client.id, secretId, scopes, lifetimeSeconds: 60 });
    await change(client, { allowed_scopes: [READ] });
    await expect(issue([WRITE])).rejects.toThrow("No such client");
    await disableClient(client.id);
    await expect(issue([READ])).rejects.toThrow("No such client");
  });
});

describe("the audit log of the client's practices has", () => {
  const eventsOf = (work: () => Promise<unknown>) => securityEventsOf(basics.enabled, work);

  test("issued and revoked tokens, without their values", async () => {
    const client = await newClient();
    const events = await eventsOf(async () => {
      const token = await obtainToken(client, READ);
      await post("revoke", tokenForm(client, { token }));
      await post("revoke", tokenForm(client, { token: "cwt_unknown" }));
    });
    const by = { actor_type: "client", actor_id: client.id };
    expect(events).toMatchObject([
      { ...by, operation: "token.issued", detail: { facts: { scopes: READ } } },
      { ...by, operation: "token.revoked" },
    ]);
    expect(JSON.stringify(events)).not.toMatch(/cw[st]_/);
  });

  test("each revoked token: without its entry, a token is not revoked", async () => {
    const client = await newClient();
    const token = await obtainToken(client, READ);
    const revoke = () => post("revoke", tokenForm(client, { token }));
    const rejected = await eventsOf(() => withFullAudit(async () => expect((await revoke()).status).toBe(503)));
    expect([rejected, await statusOf(token)]).toEqual([[], 200]);
    const events = await eventsOf(async () => expect((await revoke()).status).toBe(200));
    expect([events, await statusOf(token)]).toEqual([[expect.objectContaining({ operation: "token.revoked" })], 401]);
  });

  test("wrong secrets, throttled ones, and credentials of a disabled client", async () => {
    const client = await newClient();
    const wrong = tokenForm({ ...client, clientSecret: "guess" });
    const address = { "x-crosswalk-peer": "192.0.2.7" };
    const events = await eventsOf(async () => {
      for (let tries = 0; tries < 6; tries++) await post("token", wrong, address);
      await disableClient(client.id);
      await post("token", tokenForm(client), { "x-crosswalk-peer": "192.0.2.8" });
    });
    const about = { type: "client", id: client.id, name: "Test client" };
    expect(events).toMatchObject([
      { operation: "token.refused", address: "192.0.2.7", detail: { about, cause: "wrong_secret" } },
      { operation: "token.throttled", address: "192.0.2.7", detail: { about } },
      { operation: "token.refused", address: "192.0.2.8", detail: { about, cause: "client_disabled" } },
      { operation: "token.refused", detail: { about, cause: "wrong_secret", count: 2 } },
      { operation: "token.throttled", detail: { about, count: 2 } },
    ]);
    expect(events.every(({ actor_type }) => actor_type === "anonymous")).toBe(true);
  });

  test("scopes that a client requests without a grant, and calls beyond its scopes", async () => {
    const client = await newClient();
    const token = await obtainToken(client, READ);
    const events = await eventsOf(async () => {
      await call("POST", "patients/", { token, body: {} });
      await db.run(sql`UPDATE oauth_client SET allowed_scopes = ${[READ]} WHERE id = ${client.id}`);
      await post("token", tokenForm(client, { scope: WRITE }));
    });
    expect(events).toMatchObject([
      { operation: "access.denied", detail: { cause: "insufficient_scope", facts: { scope: WRITE } } },
      { operation: "token.refused", actor_id: client.id, detail: { cause: "scope_not_granted" } },
    ]);
  });

  test("clients and secrets that an admin creates, changes and removes, only in the practices concerned", async () => {
    const elsewhere = await securityEventsOf(basics.foreign, async () => {
      const clients = `practices/${basics.enabled}/clients`;
      const events = await eventsOf(async () => {
        const both = [basics.enabled, basics.disabled];
        const created = await staffCallAs(admin, "POST", clients, { body: { name: "Lab", practices: both } });
        const at = `${clients}/${created.body.id}`;
        await staffCallAs(admin, "PATCH", at, { body: { allowed_scopes: [READ] } });
        const rotated = await staffCallAs(admin, "POST", `${at}/secrets`, { body: { keep_hours: 24 } });
        expect(rotated.status).toBe(201);
        const ids = await db.rows<{ id: number }>(
          sql`SELECT id FROM oauth_client_secret WHERE client_id = ${created.body.id} ORDER BY id`,
        );
        await staffCallAs(admin, "DELETE", `${at}/secrets/${ids[0]?.id}`);
        await staffCallAs(admin, "PATCH", at, { body: { practices: [basics.enabled] } });
        await staffCallAs(admin, "DELETE", at);
      });
      expect(events).toMatchObject([
        {
          operation: "client.created",
          actor_type: "staff",
          actor_id: admin.userId,
          detail: { about: { name: "Lab" } },
        },
        { operation: "client.changed", detail: { changes: { allowed_scopes: { old: [], new: [READ] } } } },
        { operation: "secret.created" },
        { operation: "secret.revoked" },
        { operation: "client.removed" },
      ]);
      expect(JSON.stringify(events)).not.toMatch(/cws_/);
    });
    expect(elsewhere).toEqual([]);
  });
});

describe("the installation's audit log has", () => {
  test("unknown clients and tokens, without what was sent", async () => {
    const events = await securityEventsOf(INSTALLATION, async () => {
      const unknown = { id: 0, clientId: "my-own-password", clientSecret: "x" };
      await post("token", tokenForm(unknown));
      await call("GET", "patients/", { token: "cwt_made_up" });
    });
    expect(events).toMatchObject([
      { operation: "token.refused", detail: { cause: "unknown_client" } },
      { operation: "token.rejected", detail: { cause: "unknown_token" } },
    ]);
    expect(JSON.stringify(events)).not.toMatch(/my-own-password|made_up/);
  });
});

test("a client ID of 60,000 characters is throttled under a short key", async () => {
  const long = { id: 0, clientId: "x".repeat(60_000), clientSecret: "x" };
  const from = { "x-crosswalk-peer": "192.0.2.99" };
  const statuses: number[] = [];
  for (const end of ["a", "b", "c", "d"]) {
    const tried = { ...long, clientId: long.clientId + end };
    statuses.push((await post("token", tokenForm(tried), from)).status);
  }
  // All unknown IDs share one count per address, however many IDs are made up.
  expect(statuses).toEqual([401, 401, 401, 429]);
});
