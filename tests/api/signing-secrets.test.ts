// Secrets of subscriptions: shown once, stored only encrypted, and replaced by their client or by an admin of all its practices.
import { beforeAll, describe, expect, test } from "vitest";
import { openSigningSecret } from "@/lib/events/webhooks/signing";
import { config } from "@/lib/platform/config";
import { db, raw, sql } from "@/lib/platform/db/sql";
import { type Basics, call, seedBasics } from "../support/api";
import { securityEventsOf } from "../support/security-events";
import { type SignedIn, signInAs, staffCallAs } from "../support/staff";
import { type Client, createListener, newClient, type Subscription, subscribe } from "../support/webhook-clients";

const TARGET = "https://hooks.example.org/secrets";
const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/;
let basics: Basics;
let client: Client;
let subscription: Subscription;
let admin: SignedIn;

beforeAll(async () => {
  basics = await seedBasics();
  ({ client, subscription } = await createListener(basics, TARGET));
  admin = await signInAs("admin", [basics.enabled]);
});

const rotate = (body: unknown, options: { token?: string; headers?: Record<string, string> } = {}) =>
  call("POST", `subscriptions/${subscription.id}/signing_secret`, { token: client.token, body, ...options });
const rotateAs = (who: SignedIn, id = subscription.id, headers: Record<string, string> = {}) =>
  staffCallAs(who, "POST", `practices/${basics.enabled}/subscriptions/${id}/signing-secret`, { body: {}, headers });

/** Returns the text of all rows of the tables in which a secret could end up. */
async function storedText(): Promise<string> {
  const tables = ["subscription", "record_version", "idempotency_key", "audit_log"];
  const found = await Promise.all(
    tables.map((table) => db.rows<{ row: string }>(sql`SELECT row_to_json(t)::text AS row FROM ${raw(table)} t`)),
  );
  expect(found.every((rows) => rows.length > 0)).toBe(true);
  return JSON.stringify(found);
}

describe("a secret", () => {
  test("is in the response that creates it, and in no other response and no stored text", async () => {
    const { body } = await rotate({}, { headers: { "idempotency-key": crypto.randomUUID() } });
    expect(body).toEqual({
      id: subscription.id,
      signing_secret: expect.stringMatching(SECRET),
      old_secrets_end: expect.stringMatching(/Z$/),
    });
    const secrets = [subscription.signing_secret, body.signing_secret].map((secret) => secret.slice("whsec_".length));
    const shown = await Promise.all([
      call("GET", `subscriptions/${subscription.id}`, { token: client.token }),
      call("GET", "subscriptions", { token: client.token }),
      staffCallAs(admin, "GET", `practices/${basics.enabled}/subscriptions`),
    ]);
    expect(shown.map(({ status }) => status)).toEqual([200, 200, 200]);
    const everything = JSON.stringify(shown.map((response) => response.body)) + (await storedText());
    for (const secret of secrets) {
      expect(everything).not.toContain(secret);
      expect(everything).not.toContain(Buffer.from(secret, "base64").toString("hex"));
    }
  });

  test("opens only for its subscription", async () => {
    const { signing_secrets, client_id } = await db.one<{ signing_secrets: { sealed: string }[]; client_id: number }>(
      sql`SELECT signing_secrets, client_id FROM subscription WHERE id = ${subscription.id}`,
    );
    const sealed = Buffer.from(signing_secrets.at(-1)?.sealed ?? "", "base64");
    const context = `${client_id} patients ${TARGET}`;
    const opened = openSigningSecret(sealed, context, config().SECRET_KEY).export();
    expect(`whsec_${opened.toString("base64")}`).toBe(subscription.signing_secret);
    expect(() => openSigningSecret(sealed, `${context}x`, config().SECRET_KEY)).toThrow();
  });

  test("is not shown again to a repeated Idempotency-Key, and no second one is created", async () => {
    const another = await newClient(basics);
    const headers = { "idempotency-key": crypto.randomUUID() };
    const body = { resource: "patients", target: `${TARGET}/once` };
    const create = () => call("POST", "subscriptions", { token: another.token, body, headers });
    const [created, repeated] = [await create(), await create()];
    expect([created.status, repeated.status, repeated.body.code]).toEqual([201, 409, "idempotency_told_once"]);
    const key = { "idempotency-key": crypto.randomUUID() };
    const first = await rotate({}, { headers: key });
    const second = await rotate({}, { headers: key });
    expect([first.status, second.status, second.body.code]).toEqual([201, 409, "idempotency_told_once"]);
    expect(second.body.detail).toContain("which is shown only once");
    const staffKey = { "idempotency-key": crypto.randomUUID() };
    const byStaff = [
      await rotateAs(admin, subscription.id, staffKey),
      await rotateAs(admin, subscription.id, staffKey),
    ];
    expect(byStaff.map(({ status }) => status)).toEqual([201, 409]);
  });
});

describe("a rotation", () => {
  test("has a version with who, when and why, and an audit entry, both without the secret", async () => {
    const reason = "Shared by mistake";
    let body: { old_secrets_end?: string } = {};
    const events = await securityEventsOf(basics.enabled, async () => {
      ({ body } = await rotate({ keep_hours: 2 }, { headers: { "x-change-reason": reason } }));
    });
    const facts = { subscription: subscription.id, old_secrets_end: body.old_secrets_end };
    expect(events.map(({ operation, actor_type, detail }) => ({ operation, actor_type, detail }))).toEqual([
      { operation: "webhook_secret.created", actor_type: "client", detail: { facts } },
    ]);
    const version = await db.one<Record<string, unknown>>(sql`
      SELECT kind, changes, actor->>'name' AS actor, reason, occurred_date FROM record_version
      WHERE record_type = 'subscription' AND record_id = ${subscription.id} ORDER BY version DESC LIMIT 1`);
    expect(version).toMatchObject({
      kind: "updated",
      actor: "Listener",
      reason,
      changes: {
        signing_secret_date: { old: expect.any(String), new: version.occurred_date },
        old_secrets_end: { old: null, new: body.old_secrets_end },
      },
    });
  });

  test("is rejected beyond five valid secrets, unless the others end now", async () => {
    await rotate({ keep_hours: 0 });
    const statuses: number[] = [];
    for (let count = 0; count < 5; count++) statuses.push((await rotate({ keep_hours: 24 })).status);
    expect(statuses).toEqual([201, 201, 201, 201, 409]);
    const { body } = await rotate({});
    expect(body.code).toBe("too_many_secrets");
    expect((await rotate({ keep_hours: 0 })).status).toBe(201);
  });

  test("keeps all secrets of concurrent rotations", async () => {
    await rotate({ keep_hours: 0 });
    const results = await Promise.all([1, 2, 3].map(() => rotate({})));
    expect(results.map(({ status }) => status)).toEqual([201, 201, 201]);
    const { count } = await db.one<{ count: number }>(sql`
      SELECT jsonb_array_length(signing_secrets) AS count FROM subscription WHERE id = ${subscription.id}`);
    expect(count).toBe(4);
  });

  test.each([
    { keep_hours: -1 },
    { keep_hours: 169 },
    { keep_hours: 1.5 },
    { keep_hours: "one" },
    { keep_hours: null },
  ])("400 for %j", async (body) => {
    const response = await rotate(body);
    expect([response.status, Object.keys(response.body)]).toEqual([400, ["keep_hours"]]);
  });

  test("404 for another client's, an absent and a deleted subscription", async () => {
    const other = await newClient(basics);
    expect((await rotate({}, { token: other.token })).status).toBe(404);
    const own = await subscribe(other, TARGET);
    await call("DELETE", `subscriptions/${own.id}`, { token: other.token });
    for (const id of [own.id, 999_999]) {
      const gone = await call("POST", `subscriptions/${id}/signing_secret`, { token: other.token, body: {} });
      expect(gone.status).toBe(404);
    }
  });
});

describe("a rotation by staff", () => {
  test("needs an admin of the practice", async () => {
    for (const role of ["viewer", "staff"] as const) {
      expect((await rotateAs(await signInAs(role, [basics.enabled]))).status).toBe(403);
    }
    let status = 0;
    const [event] = await securityEventsOf(basics.enabled, async () => {
      const response = await rotateAs(admin);
      status = response.status;
      expect(response.body.signing_secret).toMatch(SECRET);
    });
    expect(status).toBe(201);
    expect(event).toMatchObject({
      operation: "webhook_secret.created",
      actor_type: "staff",
      detail: { about: { type: "client", id: client.id, name: "Listener" } },
    });
  });

  test("is not possible for a client that also has access to practices of others, or to none of these", async () => {
    const shared = await createListener(basics, `${TARGET}/shared`, "patients", [basics.enabled, basics.disabled]);
    const refused = await rotateAs(admin, shared.subscription.id);
    expect([refused.status, refused.body.code]).toEqual([409, "belongs_elsewhere"]);
    const elsewhere = await createListener(basics, `${TARGET}/elsewhere`, "patients", [basics.disabled]);
    expect((await rotateAs(admin, elsewhere.subscription.id)).status).toBe(404);
    const both = await signInAs("admin", [basics.enabled, basics.disabled]);
    expect((await rotateAs(both, shared.subscription.id)).status).toBe(201);
  });
});
