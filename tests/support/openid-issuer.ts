// A local OpenID provider that signs everyone in without asking, as the user that the test names.
import { createHash, createSign, generateKeyPairSync, type KeyObject, randomUUID } from "node:crypto";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** The user that the next visitor becomes. */
export interface Identity {
  sub: string;
  email: string;
  email_verified: boolean;
}

interface Grant {
  identity: Identity;
  clientId: string;
  nonce: string | null;
  challenge: string | null;
}

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** Implements the code flow with PKCE, RS256 and a nonce (OpenID Connect Core §3.1), for one client. */
export class OpenIdIssuer {
  readonly clientId = "crosswalk-test";
  readonly clientSecret = "the-client-secret";
  identity: Identity = { sub: "1", email: "nobody@example.org", email_verified: true };
  /** Overrides the claims of the next ID tokens, as a broken or hostile provider might. */
  claims: object = {};
  /** Signs the next ID tokens with a key that is not published. */
  forges = false;
  readonly #server: http.Server;
  readonly #privateKey: KeyObject;
  readonly #jwk: object;
  readonly #grants = new Map<string, Grant>();

  private constructor() {
    const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    this.#privateKey = privateKey;
    this.#jwk = { ...publicKey.export({ format: "jwk" }), kid: "1", alg: "RS256", use: "sig" };
    this.#server = http.createServer((req, res) => void this.#respond(req, res));
  }

  static async start(): Promise<OpenIdIssuer> {
    const issuer = new OpenIdIssuer();
    await new Promise<void>((resolve) => issuer.#server.listen(0, "127.0.0.1", resolve));
    return issuer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  async #respond(req: http.IncomingMessage, res: http.ServerResponse): Promise<void> {
    const url = new URL(req.url ?? "/", this.url);
    const json = (body: object, status = 200) => {
      res.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    };
    if (url.pathname === "/.well-known/openid-configuration") return json(this.#configuration());
    if (url.pathname === "/jwks") return json({ keys: [this.#jwk] });
    if (url.pathname === "/authorize") return this.#authorize(url, res);
    if (url.pathname !== "/token") return json({ error: "not_found" }, 404);
    const body = await text(req).catch(() => null);
    // The client disconnected in the middle of the body.
    if (body === null) return;
    const form = new URLSearchParams(body);
    const token = this.#exchange(form, req.headers.authorization ?? "");
    return json(token, "error" in token ? 400 : 200);
  }

  #configuration(): object {
    return {
      issuer: this.url,
      authorization_endpoint: `${this.url}/authorize`,
      token_endpoint: `${this.url}/token`,
      jwks_uri: `${this.url}/jwks`,
      response_types_supported: ["code"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["RS256"],
      code_challenge_methods_supported: ["S256"],
    };
  }

  #authorize(url: URL, res: http.ServerResponse): void {
    const asked = url.searchParams;
    const code = randomUUID();
    this.#grants.set(code, {
      identity: { ...this.identity },
      clientId: asked.get("client_id") ?? "",
      nonce: asked.get("nonce"),
      challenge: asked.get("code_challenge"),
    });
    const back = new URL(asked.get("redirect_uri") ?? "");
    back.searchParams.set("code", code);
    back.searchParams.set("state", asked.get("state") ?? "");
    res.writeHead(302, { location: back.href }).end();
  }

  #exchange(form: URLSearchParams, authorization: string): object {
    const grant = this.#grants.get(form.get("code") ?? "");
    this.#grants.delete(form.get("code") ?? "");
    const expected = `Basic ${Buffer.from(`${this.clientId}:${this.clientSecret}`).toString("base64")}`;
    const verifier = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    if (!grant || authorization !== expected || verifier !== grant.challenge) return { error: "invalid_grant" };
    return { access_token: randomUUID(), token_type: "Bearer", expires_in: 60, id_token: this.#idToken(grant) };
  }

  #idToken({ identity, clientId, nonce }: Grant): string {
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      iss: this.url,
      aud: clientId,
      iat: now,
      exp: now + 60,
      ...(nonce ? { nonce } : {}),
      ...identity,
      ...this.claims,
    };
    const content = `${encode({ alg: "RS256", kid: "1", typ: "JWT" })}.${encode(claims)}`;
    return `${content}.${createSign("RSA-SHA256")
      .update(content)
      .sign(this.forges ? this.#otherKey() : this.#privateKey, "base64url")}`;
  }

  #otherKey(): KeyObject {
    return generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
  }
}
