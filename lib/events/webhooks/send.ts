import type { Readable } from "node:stream";
import { Agent } from "undici";
import { type TargetPolicy, targetProblem } from "./addresses";
import {
  type Connect,
  connectToAddresses,
  createResolver,
  guardedConnector,
  type Resolve,
  rejectOnAbort,
} from "./connect";
import { AttemptError, describeFailure, statusProblem } from "./failures";

/** A webhook to send. Header names are in lower case, and `body` is the signed text. */
export interface WebhookRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** The outcome of sending a webhook once. */
export interface Attempt {
  /** The status of the response, or null if none arrived. */
  status: number | null;
  /** What went wrong, in one sentence. null if the status is 2xx and the response was complete in time. */
  error: string | null;
  durationMs: number;
}

/** The response so far, while an attempt is in progress. */
interface ResponseState {
  status: number | null;
}

const IDLE_MS = 4_000;
const MAX_IDLE_MS = 10_000;
/** The body of a response is read only to free the connection for the next webhook, up to this size. */
const MAX_RESPONSE_BYTES = 64 * 1024;

/**
 * Sends webhooks. Resolves host names once per connection, and connects only to addresses that the policy allows. Does not
 * follow redirects, and always verifies TLS certificates. Keeps connections open for the next webhook.
 */
export class WebhookSender {
  readonly #timeoutMs: number;
  readonly #policy: TargetPolicy;
  readonly #agent: Agent;
  readonly #opening = new Set<AbortController>();
  readonly #inProgress = new Set<Promise<Attempt>>();
  #closed = false;

  /**
   * @param options.timeoutMs the limit of a whole attempt, from resolving the name to the last byte of the response
   * @param options.connectionsPerOrigin more concurrent attempts to an origin wait for a connection, within their timeout
   */
  constructor(options: {
    timeoutMs: number;
    connectionsPerOrigin: number;
    policy: TargetPolicy;
    resolve?: Resolve;
    connect?: Connect;
  }) {
    const { timeoutMs, connectionsPerOrigin, policy } = options;
    const { resolve = createResolver(policy), connect = connectToAddresses } = options;
    this.#timeoutMs = timeoutMs;
    this.#policy = policy;
    this.#agent = new Agent({
      connect: guardedConnector({ timeoutMs, policy, resolve, connect, opening: this.#opening }),
      connections: connectionsPerOrigin,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: MAX_IDLE_MS,
      // The timeout of the whole attempt replaces these.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  /** Sends a webhook once. Never rejects: failures are part of the outcome. */
  send(request: WebhookRequest): Promise<Attempt> {
    const attempt = this.#attempt(request);
    this.#inProgress.add(attempt);
    return attempt.finally(() => this.#inProgress.delete(attempt));
  }

  /** Waits for the attempts in progress, and closes all connections. Later attempts fail. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#inProgress);
    for (const controller of this.#opening) controller.abort();
    await this.#agent.destroy();
  }

  async #attempt(request: WebhookRequest): Promise<Attempt> {
    const started = performance.now();
    const signal = AbortSignal.timeout(this.#timeoutMs);
    const response: ResponseState = { status: null };
    // undici does not abort a request that waits for a connection.
    const failure = await rejectOnAbort(signal, this.#exchange(request, { signal, response })).then(
      () => null,
      (error: unknown) => describeFailure(error, { ...response, timeoutMs: this.#timeoutMs }),
    );
    const { status } = response;
    const error = (status === null ? null : statusProblem(status)) ?? failure;
    return { status, error, durationMs: Math.round(performance.now() - started) };
  }

  async #exchange(request: WebhookRequest, attempt: { signal: AbortSignal; response: ResponseState }): Promise<void> {
    if (this.#closed) throw new AttemptError("The sender is closed.");
    // Checked at each attempt, because the policy may have changed since the subscription was created.
    const problem = targetProblem(request.url, this.#policy);
    if (problem) throw new AttemptError(problem);
    const { origin, pathname, search } = new URL(request.url);
    const { statusCode, body } = await this.#agent.request({
      origin,
      path: `${pathname}${search}`,
      method: "POST",
      headers: { ...request.headers, "content-type": "application/json", "user-agent": "Crosswalk-Webhooks/1" },
      body: request.body,
      signal: attempt.signal,
    });
    attempt.response.status = statusCode;
    await discard(body);
  }
}

/** Reads a body to its end. Closes the connection if the body is too long. */
async function discard(body: Readable): Promise<void> {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += Buffer.byteLength(chunk);
    // Leaving the loop destroys the stream, and so the connection.
    if (bytes > MAX_RESPONSE_BYTES) return;
  }
}
