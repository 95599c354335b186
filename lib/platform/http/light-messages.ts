/**
 * Request and Response with the parts that cost most put off until somebody asks for them. Node's own build streams and
 * abort signals for each message: about 100 µs a request, more than all the rest of what the server does for it.
 *
 * Both are `instanceof` the standard classes and have their members. The one thing they can't do is stand in for the
 * argument of `new Request(request)`: use `clone()` there.
 */

interface RequestParts {
  method: string;
  url: string;
  headers: readonly [string, string][];
  /** Called when the body is first asked for; null where there is none. */
  openBody: (() => ReadableStream<Uint8Array>) | null;
  openSignal: () => AbortSignal;
}

const bodyMethods = ["arrayBuffer", "blob", "bytes", "clone", "formData", "json", "text"];

class LightRequest {
  readonly method: string;
  readonly url: string;
  readonly #parts: RequestParts;
  #headers: Headers | undefined;
  #body: ReadableStream<Uint8Array> | null | undefined;
  #signal: AbortSignal | undefined;
  #whole: Request | undefined;

  constructor(parts: RequestParts) {
    this.method = parts.method;
    this.url = parts.url;
    this.#parts = parts;
  }

  get headers(): Headers {
    this.#headers ??= new Headers(this.#parts.headers as [string, string][]);
    return this.#headers;
  }

  get body(): ReadableStream<Uint8Array> | null {
    if (this.#whole) return this.#whole.body;
    if (this.#body === undefined) this.#body = this.#parts.openBody?.() ?? null;
    return this.#body;
  }

  get signal(): AbortSignal {
    this.#signal ??= this.#parts.openSignal();
    return this.#signal;
  }

  /** The standard Request, for everything else that may be asked of one. */
  get whole(): Request {
    if (!this.#whole) {
      const { method, url, headers, body, signal } = this;
      this.#whole = new Request(url, { method, headers, body, signal, duplex: "half" } as RequestInit);
    }
    return this.#whole;
  }
}

class LightResponse {
  readonly status: number;
  readonly headers: Headers;
  /** What the server sends, without going through a stream. */
  readonly content: string;
  #whole: Response | undefined;

  constructor(content: string, status: number, headers: Record<string, string>) {
    this.content = content;
    this.status = status;
    this.headers = new Headers(headers);
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  /** Whether somebody has read of it (or may have): then `content` is not to be sent. */
  get touched(): boolean {
    return this.#whole !== undefined;
  }

  /** The standard Response, for everything else that may be asked of one. */
  get whole(): Response {
    this.#whole ??= new Response(this.content, { status: this.status, headers: this.headers });
    return this.#whole;
  }
}

/** Gives a light class every member of the standard one that it lacks, passed on to the whole message. */
function complete(light: { prototype: object }, standard: { prototype: object }): void {
  for (const name of Object.getOwnPropertyNames(standard.prototype)) {
    if (name === "constructor" || Object.hasOwn(light.prototype, name)) continue;
    const isMethod = bodyMethods.includes(name);
    Object.defineProperty(light.prototype, name, {
      configurable: true,
      get(this: { whole: Record<string, unknown> }) {
        const member = this.whole[name];
        return isMethod ? (member as () => unknown).bind(this.whole) : member;
      },
    });
  }
  Object.setPrototypeOf(light.prototype, standard.prototype);
}

complete(LightRequest, Request);
// `method` and `url` of a request, `status` and `headers` of a response are fields of each object and hide these.
complete(LightResponse, Response);

/** A request whose headers, body and signal are made when they are first asked for. */
export function lightRequest(parts: RequestParts): Request {
  return new LightRequest(parts) as unknown as Request;
}

/** A response with a text for its body. */
export function textResponse(content: string, init: { status: number; headers: Record<string, string> }): Response {
  return new LightResponse(content, init.status, init.headers) as unknown as Response;
}

/** The text of a light response that nobody has read, or null: then its body has to be streamed. */
export function contentOf(response: Response): string | null {
  return response instanceof LightResponse && !(response as LightResponse).touched ? response.content : null;
}
