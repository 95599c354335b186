// POST oauth2/token: what it accepts, returns and rejects.
import { beforeAll, describe, expect, test } from "vitest";
import { tokenResponse } from "@/lib/access/clients/schema";
import { db, sql } from "@/lib/platform/db/sql";
import { transaction } from "@/lib/platform/db/transaction";
import { call, seedBasics } from "@/tests/support/api";
import { basicAuth, obtainToken, post, seedClient, type TestClient, tokenForm } from "@/tests/support/oauth";

process.env.WRONG_SECRET_LIMIT = "1000";

let organizationId: number;
let beta: TestClient;
let outside: TestClient;
let limited: TestClient;

beforeAll(async () => {
  organizationId = (await seedBasics()).organization;
  beta = await seedClient({ organizationId });
  outside = await seedClient({ organizationId, scopedTokens: false });
  limited = await seedClient({ organizationId, allowedScopes: ["system/patients.read", "system/visit_notes.write"] });
});

describe("200", () => {
  test("credentials in the form get a Bearer token with the global scope, and caches may not store the response", async () => {
    const { status, body, headers } = await post("token", tokenForm(outside));
    expect(status).toBe(200);
    expect(tokenResponse.strict().parse(body)).toMatchObject({
      token_type: "Bearer",
      expires_in: 36_000,
      scope: "apiv2",
    });
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("pragma")).toBe("no-cache");
    expect(headers.get("x-request-id")).toMatch(/^[\w.-]{8,64}$/);
    expect((await call("GET", "practices/", { token: body.access_token })).status).toBe(200);
  });

  test("credentials in HTTP Basic get the same response, with or without client_id in the form", async () => {
    const headers = basicAuth(beta.clientId, beta.clientSecret);
    expect((await post("token", "grant_type=client_credentials", headers)).status).toBe(200);
    const named = `grant_type=client_credentials&client_id=${beta.clientId}`;
    expect((await post("token", named, headers)).status).toBe(200);
  });

  test.each(["+", "%20"])("scopes separated by %s are all granted", async (space) => {
    const scopes = ["system/patients.read", "system/appointments.write"];
    const { body } = await post("token", `${tokenForm(beta)}&scope=${scopes.join(space)}`);
    expect(body.scope).toBe(scopes.join(" "));
  });

  test("a repeated scope is granted once", async () => {
    const { body } = await post("token", tokenForm(beta, { scope: "system/bills.read system/bills.read" }));
    expect(body.scope).toBe("system/bills.read");
  });

  test("a scope without a value counts as omitted (RFC 6749 §3.2)", async () => {
    expect((await post("token", `${tokenForm(beta)}&scope=`)).body.scope).toBe("apiv2");
  });

  test("apiv2 can be requested by name, inside and outside the beta", async () => {
    for (const client of [beta, outside]) {
      expect((await post("token", tokenForm(client, { scope: "apiv2" }))).body.scope).toBe("apiv2");
    }
  });

  test("a client limited to some scopes gets those scopes", async () => {
    const scope = "system/visit_notes.write system/patients.read";
    expect((await post("token", tokenForm(limited, { scope }))).body.scope).toBe(scope);
  });

  test("unknown parameters are ignored (RFC 6749 §3.2)", async () => {
    expect((await post("token", tokenForm(beta, { audience: "x" }))).status).toBe(200);
  });

  test("tokens are opaque, of 256 random bits, and only their hash is stored", async () => {
    const tokens = await Promise.all([obtainToken(beta), obtainToken(beta)]);
    expect(new Set(tokens).size).toBe(2);
    for (const token of [...tokens, beta.clientSecret]) {
      const random = token.replace(/^cw[ts]_/, "");
      expect(Buffer.from(random, "base64url").byteLength).toBeGreaterThanOrEqual(32);
      const rows = await db.rows<{ kept: string }>(sql`
        SELECT t::text AS kept FROM oauth_token t UNION ALL SELECT c::text FROM oauth_client c
        UNION ALL SELECT s::text FROM oauth_client_secret s`);
      const hex = Buffer.from(token).toString("hex");
      expect(rows.some(({ kept }) => kept.includes(random) || kept.includes(hex))).toBe(false);
    }
    const hashes = await db.rows<{ length: number }>(sql`SELECT octet_length(token_hash) AS length FROM oauth_token`);
    expect(new Set(hashes.map(({ length }) => length))).toEqual(new Set([32]));
  });
});

/** Expects a rejection with a status, a code and a message with the cause, and no token. */
async function expectRejection(
  form: URLSearchParams | string,
  expected: { status?: number; error: string; names: string | RegExp; headers?: Record<string, string> },
) {
  const before = await db.first(sql`SELECT count(*) FROM oauth_token`);
  const { status, body, headers } = await post("token", form, expected.headers);
  expect([status, body.error]).toEqual([expected.status ?? 400, expected.error]);
  expect(body.error_description).toMatch(expected.names);
  expect(Object.keys(body).sort()).toEqual(["error", "error_description"]);
  expect(headers.get("cache-control")).toBe("no-store");
  expect(await db.first(sql`SELECT count(*) FROM oauth_token`)).toEqual(before);
  return headers;
}

describe("400 invalid_scope", () => {
  test.each([
    ["unknown resource", "system/unicorns.read", "'system/unicorns.read'"],
    ["unknown permission", "system/patients.admin", "'system/patients.admin'"],
    ["wildcard", "system/*.read", "'system/*.read'"],
    ["no permission", "system/patients", "'system/patients'"],
    ["other prefix", "user/patients.read", "'user/patients.read'"],
    ["upper case", "system/Patients.read", "'system/Patients.read'"],
    ["an unknown word", "openid", "'openid'"],
    ["a name of Object.prototype", "system/constructor.read", "'system/constructor.read'"],
    ["tab between scopes", "system/patients.read\tsystem/bills.read", "system/patients.read?system/bills.read"],
    ["comma between scopes", "system/patients.read,system/bills.read", "system/patients.read,system/bills.read"],
    ["write on reference data", "system/languages.write", "'system/languages.write'"],
    ["one unknown among valid ones", "system/patients.read system/nothing.read", "'system/nothing.read'"],
    ["mixed with apiv2", "apiv2 system/patients.read", "'system/patients.read'"],
    ["mixed with apiv2, which comes last", "system/bills.write apiv2", "'system/bills.write'"],
    ["nothing but space", " ", "empty"],
  ])("%s: the scope is named, and no token is issued", async (_case, scope, names) => {
    await expectRejection(tokenForm(beta, { scope }), { error: "invalid_scope", names });
  });

  test.each([
    "languages",
    "packaged_medication_labelers",
    "packaged_medications",
    "pharmacies",
    "reference_medications",
  ])("%s can be read, never written", async (resource) => {
    const write = `system/${resource}.write`;
    await expectRejection(tokenForm(beta, { scope: write }), { error: "invalid_scope", names: write });
    expect(await obtainToken(beta, `system/${resource}.read`)).toMatch(/^cwt_/);
  });

  test("a scope that the client was not granted rejects the whole request", async () => {
    const scope = "system/patients.read system/patients.write";
    await expectRejection(tokenForm(limited, { scope }), { error: "invalid_scope", names: "'system/patients.write'" });
    await expectRejection(tokenForm(limited), { error: "invalid_scope", names: "'apiv2'" });
  });

  test("outside the closed beta every specific scope is rejected", async () => {
    const scope = "system/patients.read";
    await expectRejection(tokenForm(outside, { scope }), { error: "invalid_scope", names: `'${scope}'` });
  });
});

describe("400 invalid_request", () => {
  test.each(["grant_type", "client_id", "client_secret"])(
    "is returned for a missing %s, and names it",
    async (name) => {
      const form = tokenForm(beta);
      form.delete(name);
      await expectRejection(form, { error: "invalid_request", names: name });
      form.set(name, "");
      await expectRejection(form, { error: "invalid_request", names: name });
    },
  );

  test.each(["grant_type", "client_id", "client_secret", "scope", "anything"])(
    "is returned for %s sent twice, and names it",
    async (name) => {
      const value = name === "scope" ? "system/patients.read" : (tokenForm(beta).get(name) ?? "1");
      const form = tokenForm(beta, name === "scope" || name === "anything" ? { [name]: value } : {});
      form.append(name, value);
      await expectRejection(form, { error: "invalid_request", names: name });
    },
  );

  test("is returned if credentials are both in the form and in HTTP Basic", async () => {
    const headers = basicAuth(beta.clientId, beta.clientSecret);
    await expectRejection(tokenForm(beta), { error: "invalid_request", names: "not both", headers });
    const other = `grant_type=client_credentials&client_id=${outside.clientId}`;
    await expectRejection(other, { error: "invalid_request", names: "client_id", headers });
  });

  test("is returned for JSON, multipart and no body", async () => {
    const text = JSON.stringify(Object.fromEntries(tokenForm(beta)));
    for (const type of ["application/json", "multipart/form-data; boundary=x", "text/plain"]) {
      const headers = { "content-type": type };
      await expectRejection(text, { error: "invalid_request", names: "x-www-form-urlencoded", headers });
    }
  });

  test("is returned for a compressed form", async () => {
    const headers = { "content-encoding": "gzip" };
    await expectRejection(tokenForm(beta), { error: "invalid_request", names: "Content-Encoding", headers });
  });

  test.each([
    ["broken percent-encoding", "&scope=%zz"],
    ["a percent sign at the end", "&scope=%"],
    ["bytes that are not UTF-8", "&scope=%ff%fe"],
    ["NUL", "&scope=a%00b"],
  ])("with %s", async (_case, tail) => {
    await expectRejection(`${tokenForm(beta)}${tail}`, { error: "invalid_request", names: /./ });
  });
});

describe("400 unsupported_grant_type", () => {
  test.each(["password", "authorization_code", "refresh_token", "CLIENT_CREDENTIALS", "x".repeat(9000)])(
    "%.20s",
    async (grant_type) => {
      await expectRejection(tokenForm(beta, { grant_type }), {
        error: "unsupported_grant_type",
        names: "client_credentials",
      });
    },
  );
});

describe("concurrent requests share a commit", () => {
  test("each gets its own response", async () => {
    const scope = "system/patients.read";
    const sent = [
      tokenForm(beta),
      tokenForm({ ...beta, clientSecret: "cws_wrong" }),
      tokenForm(limited, { scope }),
      tokenForm(limited, { scope: "system/bills.read" }),
      tokenForm({ ...beta, clientId: "\u00e9\u{1f600}" }),
      tokenForm(outside),
    ];
    const responses = await Promise.all(sent.map((form) => post("token", form)));
    expect(responses.map(({ status, body }) => [status, body.scope ?? body.error])).toEqual([
      [200, "apiv2"],
      [401, "invalid_client"],
      [200, scope],
      [400, "invalid_scope"],
      [401, "invalid_client"],
      [200, "apiv2"],
    ]);
  });

  test("one for a client that is being changed waits, and the others don't", async () => {
    const { waiting } = await transaction(async (tx) => {
      await tx.run(sql`SELECT FROM oauth_client WHERE id = ${beta.id} FOR NO KEY UPDATE`);
      let isIssued = false;
      const waiting = post("token", tokenForm(beta)).finally(() => {
        isIssued = true;
      });
      const scope = "system/patients.read";
      const others = [post("token", tokenForm(outside)), post("token", tokenForm(limited, { scope }))];
      expect((await Promise.all(others)).map(({ status }) => status)).toEqual([200, 200]);
      expect(isIssued).toBe(false);
      return { waiting };
    });
    expect((await waiting).status).toBe(200);
  });
});

describe("401 invalid_client", () => {
  const rejected = { status: 401, error: "invalid_client", names: /./ };

  test("a wrong secret and an unknown client get the same response, with a challenge", async () => {
    const wrong = await post("token", tokenForm({ ...beta, clientSecret: "cws_wrong" }));
    const unknown = await post("token", tokenForm({ ...beta, clientId: "nobody" }));
    expect(unknown.body).toEqual(wrong.body);
    const headers = await expectRejection(tokenForm({ ...beta, clientSecret: "x" }), rejected);
    expect(headers.get("www-authenticate")).toMatch(/^Basic realm=/);
  });

  test("another client's secret is a wrong secret", async () => {
    await expectRejection(tokenForm({ ...beta, clientSecret: outside.clientSecret }), rejected);
  });

  test("no credentials at all", async () => {
    await expectRejection("grant_type=client_credentials", rejected);
  });

  test("credentials in the query of the URL are ignored", async () => {
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const body = "grant_type=client_credentials";
    const { status } = await call("POST", `oauth2/token/?${tokenForm(beta)}`, { body, headers });
    expect(status).toBe(401);
  });

  test.each([
    ["no colon", "Basic bm9ib2R5"],
    ["no base64", "Basic §"],
    ["nothing", "Basic =="],
    ["broken percent-encoding", `Basic ${btoa("%zz:%zz")}`],
    ["NUL in the client id", `Basic ${btoa("a%00b:c")}`],
    ["a raw NUL", `Basic ${btoa("a\u0000b:c")}`],
    ["bytes that are not UTF-8", `Basic ${btoa("\xff\xfe:\xff")}`],
    ["64 kB", `Basic ${btoa(`${"a".repeat(32_000)}:${"b".repeat(32_000)}`)}`],
  ])("HTTP Basic with %s", async (_case, authorization) => {
    const form = "grant_type=client_credentials";
    await expectRejection(form, { ...rejected, headers: { authorization } });
  });
});

describe("405, 413", () => {
  test("only POST issues tokens", async () => {
    const { status, headers } = await call("GET", "oauth2/token/");
    expect([status, headers.get("allow")]).toEqual([405, "POST, OPTIONS"]);
  });

  test("a form of more than 64 KiB is rejected", async () => {
    const { status } = await post("token", tokenForm(beta, { padding: "x".repeat(70_000) }));
    expect(status).toBe(413);
  });
});
