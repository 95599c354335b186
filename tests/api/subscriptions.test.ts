// Subscriptions: which events a client receives, where, and with which key.
import { randomBytes } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { openSigningKey } from "@/lib/events/webhooks/signing";
import { config } from "@/lib/platform/config";
import { db, sql } from "@/lib/platform/db/sql";
import { type Basics, call, seedBasics, tokenFor } from "@/tests/support/api";

const HOOK = { resource: "patients", target: "https://hooks.example.org/patients" };
let basics: Basics;
let token: string;

beforeAll(async () => {
  basics = await seedBasics();
});

/** Creates a separate client for each test, so that subscriptions do not collide. */
const newToken = (options: { scopes?: string[] } = {}) =>
  tokenFor({ organizationId: basics.organization, practices: [basics.enabled, basics.disabled], ...options });

describe.each(["subscriptions", "app/subscriptions"])("%s", (path) => {
  beforeAll(async () => {
    token = await newToken();
  });

  const postJson = (body: string) =>
    call("POST", path, { token, body, headers: { "content-type": "application/json" } });

  test("201 with the contract's fields, a secret and the Location; GET and the list show the same without the secret", async () => {
    const properties = { team: "billing", retries: [1, 2] };
    const created = await call("POST", path, { token, body: { ...HOOK, properties } });
    expect(created.status).toBe(201);
    expect(created.body).toEqual({
      id: created.body.id,
      ...HOOK,
      properties,
      deleted_date: null,
      created_date: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      signing_pub_key: expect.stringMatching(/^whpk_[A-Za-z0-9+/]{43}=$/),
      signing_secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    });
    const { signing_secret: _secret, ...shown } = created.body;
    expect(created.headers.get("location")).toBe(`http://localhost:3000/api/2.0/${path}/${created.body.id}/`);
    const got = await call("GET", `${path}/${created.body.id}`, { token });
    expect([got.status, got.body]).toEqual([200, shown]);
    const list = await call("GET", path, { token });
    expect(list.body).toEqual({ count: 1, next: null, previous: null, results: [shown] });
  });

  test("409 for a second one with the same resource and target, through either path, even concurrently", async () => {
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

  test("409 for another spelling of the same target, which is stored and shown in one form", async () => {
    const shown = "https://xn--bcher-kva.example/a%C3%A9?b=1";
    const first = await call("POST", path, {
      token,
      body: { ...HOOK, target: "HTTPS://Bücher.example:443/x/../aé?b=1" },
    });
    expect([first.status, first.body.target]).toEqual([201, shown]);
    expect((await call("GET", `${path}/${first.body.id}`, { token })).body.target).toBe(shown);
    const again = await call("POST", path, { token, body: { ...HOOK, target: shown } });
    expect([again.status, again.body.code]).toEqual([409, "already_subscribed"]);
  });

  test("201 for the longest target, and 400 for one that is longer after normalization", async () => {
    // Random characters, because the index could compress others.
    const random = (length: number) => randomBytes(length).toString("base64url").slice(0, length);
    const start = "https://hooks.example.org/";
    const longest = start + random(2_000 - start.length);
    const taken = await call("POST", path, { token, body: { ...HOOK, resource: "appointments", target: longest } });
    expect([taken.status, taken.body.target]).toEqual([201, longest]);
    const letters = Array.from(randomBytes(1_900), (byte) => String.fromCodePoint(0x4e00 + byte * 79)).join("");
    for (const target of [`${longest}x`, start + letters]) {
      const { status, body } = await call("POST", path, { token, body: { ...HOOK, target } });
      expect([status, body]).toEqual([400, { target: ["Must have at most 2,000 characters after percent-encoding."] }]);
    }
  });

  test("properties may be any storable JSON and come back as sent", async () => {
    const values = [
      "null",
      "0",
      '""',
      "[]",
      '{"__proto__":{"a":1},"constructor":null,"":[false]}',
      '"\\u0001\\ud83d\\ude00"',
      `${"[".repeat(30)}${"]".repeat(30)}`,
      JSON.stringify("x".repeat(9_998)),
    ];
    for (const [index, properties] of values.entries()) {
      const target = `${HOOK.target}/properties-${index}`;
      const created = await postJson(`{"resource":"bills","target":"${target}","properties":${properties}}`);
      expect([properties.slice(0, 40), created.status]).toEqual([properties.slice(0, 40), 201]);
      const got = await call("GET", `${path}/${created.body.id}`, { token });
      expect(got.body.properties).toEqual(JSON.parse(properties));
    }
  });

  test.each([
    ["too many characters", JSON.stringify("x".repeat(9_999))],
    ["40 levels", `${"[".repeat(40)}${"]".repeat(40)}`],
    ["100,000 levels", `${"[".repeat(100_000)}${"]".repeat(100_000)}`],
    ["NUL", '{"a":"\\u0000"}'],
    ["a key with NUL", '{"a":[{"\\u0000":1}]}'],
    ["half a surrogate pair", '["\\ud800"]'],
    ["a number out of range", "[1e400]"],
  ])("400 for properties with %s", async (_what, properties) => {
    const { status, body } = await postJson(
      `{"resource":"bills","target":"${HOOK.target}","properties":${properties}}`,
    );
    expect([status, Object.keys(body)]).toEqual([400, ["properties"]]);
  });

  test("413 for a body of several megabytes, without reading it", async () => {
    const numbers = `[${Array(9_000).fill(`[${Array(500).fill(1)}]`)}]`;
    const { status, body } = await postJson(`{"resource":"bills","target":"${HOOK.target}","properties":${numbers}}`);
    expect([status, body.code]).toEqual([413, "payload_too_large"]);
  });

  test("204 deletes one, which can be created again with another key", async () => {
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

  test("404 for another client's subscription, with the same message as for an absent one", async () => {
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

  test.each(["pharmacies", "languages", "ccda"])("201 for %s, which exists but has no events", async (resource) => {
    const { status, body } = await call("POST", path, { token, body: { ...HOOK, resource } });
    expect([status, body.resource]).toEqual([201, resource]);
  });

  test("403 for a token with specific scopes: no scope group has subscriptions", async () => {
    const scoped = await newToken({ scopes: ["system/patients.read", "system/patients.write"] });
    const { status, body } = await call("POST", path, { token: scoped, body: HOOK });
    expect([status, body.code]).toEqual([403, "insufficient_scope"]);
  });
});

test("the private key is stored only encrypted, with a key from the settings and for its own subscription", async () => {
  const rows = await db.rows<{ sealed: Buffer; client_id: number; resource: string; target: string }>(
    sql`SELECT signing_private_key AS sealed, client_id, resource, target FROM subscription`,
  );
  expect(rows.length).toBeGreaterThan(5);
  for (const { sealed, client_id, resource, target } of rows) {
    // PKCS #8 of an Ed25519 key begins with this.
    expect(sealed.includes(Buffer.from("302e020100300506032b6570", "hex"))).toBe(false);
    const context = `${client_id} ${resource} ${target}`;
    expect(openSigningKey(sealed, context, config().SECRET_KEY).asymmetricKeyType).toBe("ed25519");
    expect(() => openSigningKey(sealed, `${context}x`, config().SECRET_KEY)).toThrow();
    expect(() => openSigningKey(sealed, context, `${config().SECRET_KEY}x`)).toThrow();
  }
});
