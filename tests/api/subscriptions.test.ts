// Subscriptions (design §8): what a client hears of, where, and by which key.
import { beforeAll, describe, expect, test } from "vitest";
import { config } from "@/lib/config";
import { db, sql } from "@/lib/db/sql";
import { openSigningKey } from "@/lib/webhooks/keys";
import { type Basics, call, seedBasics, tokenFor } from "@/tests/support/api";

const HOOK = { resource: "patients", target: "https://hooks.example.org/patients" };
let basics: Basics;
let token: string;

beforeAll(async () => {
  basics = await seedBasics();
});

/** A client of its own for each test: what one subscribed to is not in another's way. */
const newToken = (options: { scopes?: string[] } = {}) =>
  tokenFor({ organisationId: basics.organisation, practices: [basics.enabled, basics.disabled], ...options });

describe.each(["subscriptions", "app/subscriptions"])("%s", (path) => {
  beforeAll(async () => {
    token = await newToken();
  });

  test("201 with the contract's fields and the Location; GET and the list show the same", async () => {
    const properties = { team: "billing", retries: [1, 2] };
    const created = await call("POST", path, { token, body: { ...HOOK, properties } });
    expect(created.status).toBe(201);
    expect(created.body).toEqual({
      ...{ id: created.body.id, ...HOOK, properties, deleted_date: null },
      created_date: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      signing_pub_key: expect.stringMatching(/^whpk_[A-Za-z0-9+/]{43}=$/),
    });
    expect(created.headers.get("location")).toBe(`http://localhost:3000/api/2.0/${path}/${created.body.id}/`);
    const got = await call("GET", `${path}/${created.body.id}`, { token });
    expect([got.status, got.body]).toEqual([200, created.body]);
    const list = await call("GET", path, { token });
    expect(list.body).toEqual({ next: null, previous: null, results: [created.body] });
  });

  test("409 for a second one on the same resource and target, from this path or the other, however many at once", async () => {
    for (const where of ["subscriptions", "app/subscriptions"]) {
      const again = await call("POST", where, { token, body: HOOK });
      expect([again.status, again.body.code]).toEqual([409, "already_subscribed"]);
    }
    const body = { ...HOOK, target: "https://hooks.example.org/crowd" };
    const crowd = await Promise.all(Array.from({ length: 20 }, () => call("POST", path, { token, body })));
    expect(crowd.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(409)]);
    const colleague = await newToken();
    expect((await call("POST", path, { token: colleague, body })).status).toBe(201);
  });

  test("204 ends one: it is no longer there, and may be made again with another key", async () => {
    const body = { ...HOOK, resource: "vitals" };
    const first = await call("POST", path, { token, body });
    expect((await call("DELETE", `${path}/${first.body.id}`, { token })).status).toBe(204);
    expect((await call("GET", `${path}/${first.body.id}`, { token })).status).toBe(404);
    expect((await call("DELETE", `${path}/${first.body.id}`, { token })).status).toBe(404);
    const second = await call("POST", path, { token, body });
    expect(second.status).toBe(201);
    expect(second.body.signing_pub_key).not.toBe(first.body.signing_pub_key);
    const kinds = await db.rows(sql`
      SELECT kind, actor->>'type' AS actor FROM record_version
      WHERE record_type = 'subscription' AND record_id = ${first.body.id} ORDER BY version`);
    expect(kinds).toEqual([
      { kind: "created", actor: "client" },
      { kind: "deleted", actor: "client" },
    ]);
  });

  test("404 for a colleague's, in the words of an absent one", async () => {
    const { body } = await call("POST", path, { token, body: { ...HOOK, resource: "letters" } });
    for (const other of [basics.stranger, await newToken()]) {
      const [theirs, absent] = await Promise.all(
        [body.id, 999_999].map((id) => call("GET", `${path}/${id}`, { token: other })),
      );
      expect([theirs?.status, theirs?.body]).toEqual([404, absent?.body]);
      expect((await call("DELETE", `${path}/${body.id}`, { token: other })).status).toBe(404);
    }
    expect((await call("GET", `${path}/${body.id}`, { token })).status).toBe(200);
  });

  test.each([
    ["policies", "https://hooks.example.org/", "resource"],
    ["patients", "hooks.example.org", "target"],
    ["patients", "http://hooks.example.org/", "target"],
    ["patients", "ftp://hooks.example.org/", "target"],
    ["patients", "https://user:secret@hooks.example.org/", "target"],
    ["patients", "https://127.0.0.1/", "target"],
    ["patients", "https://2130706433/", "target"],
    ["patients", "https://[::ffff:169.254.169.254]/", "target"],
    ["patients", "https://localhost/", "target"],
    ["patients", `https://hooks.example.org/${"x".repeat(3000)}`, "target"],
  ])("400 for %s at %s, naming %s", async (resource, target, field) => {
    const { status, body } = await call("POST", path, { token, body: { resource, target } });
    expect([status, Object.keys(body)]).toEqual([400, [field]]);
  });

  test("403 for a token with specific scopes: no scope group has subscriptions", async () => {
    const scoped = await newToken({ scopes: ["system/patients.read", "system/patients.write"] });
    const { status, body } = await call("POST", path, { token: scoped, body: HOOK });
    expect([status, body.code]).toEqual([403, "insufficient_scope"]);
  });
});

test("the private key is at rest only under a key from the settings, and for its own subscription", async () => {
  const rows = await db.rows<{ sealed: Buffer; client_id: number; resource: string; target: string }>(
    sql`SELECT signing_private_key AS sealed, client_id, resource, target FROM subscription`,
  );
  expect(rows.length).toBeGreaterThan(5);
  for (const { sealed, client_id, resource, target } of rows) {
    // PKCS #8 of an Ed25519 key begins so.
    expect(sealed.includes(Buffer.from("302e020100300506032b6570", "hex"))).toBe(false);
    const context = `${client_id} ${resource} ${target}`;
    expect(openSigningKey(sealed, context, config().SECRET_KEY).asymmetricKeyType).toBe("ed25519");
    expect(() => openSigningKey(sealed, `${context}x`, config().SECRET_KEY)).toThrow();
    expect(() => openSigningKey(sealed, context, `${config().SECRET_KEY}x`)).toThrow();
  }
});
