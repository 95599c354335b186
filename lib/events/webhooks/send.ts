import { Agent, type Dispatcher } from "undici";
import { type TargetPolicy, targetProblem } from "./addresses";
import { type Connect, connectToAddresses, createResolver, guardedConnector, type Resolve } from "./connect";
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
    const exchange = new Exchange(this.#timeoutMs);
    try {
      this.#dispatch(request, exchange);
    } catch (error) {
      exchange.end(error);
    }
    const failure = await exchange.failure;
    const { status } = exchange;
    const description = failure === null ? null : describeFailure(failure, { status, timeoutMs: this.#timeoutMs });
    const error = (status === null ? null : statusProblem(status)) ?? description;
    return { status, error, durationMs: Math.round(performance.now() - started) };
  }

  #dispatch({ url, headers, body }: WebhookRequest, exchange: Exchange): void {
    if (this.#closed) throw new AttemptError("The sender is closed.");
    // Checked at each attempt, because the policy may have changed since the subscription was created.
    const problem = targetProblem(url, this.#policy);
    if (problem) throw new AttemptError(problem);
    const { origin, pathname, search } = new URL(url);
    const request = { origin, path: `${pathname}${search}`, method: "POST", body } as const;
    const own = { "content-type": "application/json", "user-agent": "Crosswalk-Webhooks/1" };
    this.#agent.dispatch({ ...request, headers: { ...headers, ...own } }, exchange);
  }
}

/** A request in progress. Handles its events itself, because undici's `request` makes a stream of each response, which costs more. */
class Exchange implements Dispatcher.DispatchHandler {
  /** The status of the response so far. */
  status: number | null = null;
  /** Resolves when the request has ended: to what went wrong, or to null. */
  readonly failure: Promise<unknown>;
  readonly #timer: NodeJS.Timeout;
  #resolve: (failure: unknown) => void = () => {};
  #controller: Dispatcher.DispatchController | null = null;
  #hasEnded = false;
  #bytes = 0;

  constructor(timeoutMs: number) {
    this.failure = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.#timer = setTimeout(() => this.#stop(timedOut()), timeoutMs);
  }

  end(failure: unknown = null): void {
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    this.#resolve(failure);
  }

  #stop(failure: Error): void {
    this.end(failure);
    this.#controller?.abort(failure);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // A request that waits for a connection can't be aborted before.
    if (this.#hasEnded) controller.abort(timedOut());
    else this.#controller = controller;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number): void {
    const isInformational = status < 200;
    if (!isInformational) this.status = status;
  }

  /** Reads a body only to free the connection. Closes the connection if the body is too long. */
  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes <= MAX_RESPONSE_BYTES) return;
    this.end();
    controller.abort(new Error("the response is too long"));
  }

  onResponseEnd(): void {
    this.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.end(error);
  }
}

function timedOut(): DOMException {
  return new DOMException("The attempt took too long.", "TimeoutError");
}
