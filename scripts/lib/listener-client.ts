import { setTimeout as pause } from "node:timers/promises";
import type { Listener, NewListener, WaitingWebhook } from "@/lib/events/listeners/schema";
import { ProgramError } from "./command-line";

export type { WaitingWebhook };

const NOT_FOUND = 404;
const UNAUTHORIZED = 401;
/** The server asks clients to try again. */
const BUSY = new Set([429, 503]);

/** An API client that listens for webhooks. */
export class ListenerClient {
  readonly #api: URL;
  readonly #credentials: { client_id: string; client_secret: string };
  #token = "";

  /** @param options.server the address of the installation */
  constructor({ server, id, secret }: { server: URL; id: string; secret: string }) {
    this.#api = new URL("/api/2.0/", server);
    this.#credentials = { client_id: id, client_secret: secret };
  }

  /** Creates a listener. */
  create(resources: readonly string[]): Promise<NewListener> {
    return this.#call("POST", "webhook_listeners/", { resources });
  }

  /** Returns the webhooks that wait for a listener. */
  async fetchWebhooks(listenerId: string): Promise<WaitingWebhook[]> {
    return (await this.#call<Listener>("GET", `webhook_listeners/${listenerId}/`)).webhooks;
  }

  /** Reports how an event was processed, so that it isn't returned again. */
  async report(eventId: number, { status, error }: { status: number | null; error: string | null }): Promise<void> {
    const processed_date = new Date().toISOString();
    await this.#call("PUT", `published_events/${eventId}/`, {
      processed_date,
      status_code: status,
      error_content: error,
    });
  }

  /** Ends a listener, unless it has ended. */
  async end(listenerId: string): Promise<void> {
    const response = await this.#send("DELETE", `webhook_listeners/${listenerId}/`);
    if (!response.ok && response.status !== NOT_FOUND) throw await toError(response);
  }

  async #call<T>(method: string, path: string, body?: object): Promise<T> {
    let response = await this.#send(method, path, body);
    while (BUSY.has(response.status)) {
      await pause(1_000 * Number(response.headers.get("retry-after") ?? 1));
      response = await this.#send(method, path, body);
    }
    if (!response.ok) throw await toError(response);
    return response.json();
  }

  /** Sends a request. Requests another token if the server no longer accepts this one. */
  async #send(method: string, path: string, body?: object): Promise<Response> {
    const send = async () => {
      this.#token ||= await this.#requestToken();
      const headers = { authorization: `Bearer ${this.#token}`, "content-type": "application/json" };
      return this.#fetch(path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
    };
    const response = await send();
    if (response.status !== UNAUTHORIZED) return response;
    this.#token = "";
    return send();
  }

  async #requestToken(): Promise<string> {
    const body = new URLSearchParams({ grant_type: "client_credentials", ...this.#credentials });
    const response = await this.#fetch("oauth2/token/", { method: "POST", body });
    if (!response.ok) throw await toError(response);
    return (await response.json()).access_token;
  }

  async #fetch(path: string, init: RequestInit): Promise<Response> {
    try {
      return await fetch(new URL(path, this.#api), init);
    } catch (error) {
      throw new ProgramError(`${this.#api.origin} can't be reached`, { cause: (error as Error).cause });
    }
  }
}

async function toError(response: Response): Promise<ProgramError> {
  const text = await response.text();
  return new ProgramError(`The server responded with ${response.status}: ${text.slice(0, 1_000)}`);
}
