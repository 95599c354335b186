// next-auth's exchange as a browser has it, over HTTP: the CSRF token first, then the form.
import http from "node:http";

interface Reply {
  status: number;
  headers: http.IncomingHttpHeaders;
  /** The Set-Cookie headers as they were received. */
  setCookies: string[];
  text: string;
}

/** An HTTP client that stores cookies and sends them back, like a browser without pages. */
export class Browser {
  readonly #cookies = new Map<string, string>();
  readonly #base: string;
  readonly #headers: Record<string, string>;

  /** @param headers sent with everything, such as another Host */
  constructor(base: string, headers: Record<string, string> = {}) {
    this.#base = base;
    this.#headers = headers;
  }

  /** Returns the Cookie header that it would send. */
  get cookie(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  }

  setCookie(name: string, value: string): void {
    this.#cookies.set(name, value);
  }

  send(method: string, path: string, form?: Record<string, string>, headers = {}): Promise<Reply> {
    const body = form && new URLSearchParams(form).toString();
    const type = form ? { "content-type": "application/x-www-form-urlencoded" } : {};
    const options = { method, headers: { ...this.#headers, cookie: this.cookie, ...type, ...headers } };
    return new Promise((resolve, reject) => {
      const request = http.request(new URL(path, this.#base), options, async (response) => {
        let text = "";
        for await (const chunk of response.setEncoding("utf8")) text += chunk;
        const setCookies = response.headers["set-cookie"] ?? [];
        for (const line of setCookies) this.#keep(line);
        resolve({ status: response.statusCode ?? 0, headers: response.headers, setCookies, text });
      });
      request.on("error", reject).end(body);
    });
  }

  /** Signs in; returns next-auth's response, with its code for failures in `error`. */
  async signIn(
    email: string,
    password: string,
    more: Record<string, string> = {},
  ): Promise<Reply & { error: string | null }> {
    const csrfToken = await this.#csrf();
    const form = { email, password, csrfToken, json: "true", callbackUrl: "/", ...more };
    const reply = await this.send("POST", "/api/auth/callback/credentials", form);
    const { url } = JSON.parse(reply.text) as { url?: string };
    return { ...reply, error: url ? new URL(url, this.#base).searchParams.get("error") : null };
  }

  /** Returns the address to which the sign-in page sends a browser for the OpenID provider. */
  async startOpenId(to = "/"): Promise<URL> {
    const form = { csrfToken: await this.#csrf(), callbackUrl: to, json: "true" };
    const { text } = await this.send("POST", "/api/auth/signin/oidc", form);
    return new URL((JSON.parse(text) as { url: string }).url, this.#base);
  }

  async signOut(): Promise<Reply> {
    return this.send("POST", "/api/auth/signout", { csrfToken: await this.#csrf(), json: "true" });
  }

  async #csrf(): Promise<string> {
    const { text } = await this.send("GET", "/api/auth/csrf");
    return (JSON.parse(text) as { csrfToken: string }).csrfToken;
  }

  #keep(line: string): void {
    const [pair = ""] = line.split(";", 1);
    const at = pair.indexOf("=");
    const [name, value] = [pair.slice(0, at), pair.slice(at + 1)];
    if (value === "" || /max-age=0|expires=thu, 01 jan 1970/i.test(line)) this.#cookies.delete(name);
    else this.#cookies.set(name, value);
  }
}
