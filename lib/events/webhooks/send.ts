import type { Readable } from "node:stream";
import { Agent } from "undici";
import { type TargetPolicy, targetProblem } from "./addresses";
import { type Connect, connectToAddresses, guardedConnector, orAborted, type Resolve, resolverFor } from "./connect";
import { AttemptError, describeFailure, statusProblem } from "./failures";

/** One webhook to send: `headers` in lower case, `body` as it was signed. */
export interface WebhookRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** What came of sending a webhook once. */
export interface Attempt {
  /** The status of the answer, null where none came. */
  status: number | null;
  /** One sentence on what went wrong, null where the status is 2xx and the answer came whole in time. */
  error: string | null;
  durationMs: number;
}

/** What is known of the answer while an attempt is under way. */
interface Answer {
  status: number | null;
}

const IDLE_MS = 4_000;
const MAX_IDLE_MS = 10_000;
/** Of an answer's body nothing is kept; reading it frees the connection for the next webhook. */
const MAX_RESPONSE_BYTES = 64 * 1024;

/**
 * Sends webhooks (design §8). Host names are resolved once for each connection, and no connection is made to an address the
 * policy refuses; redirects are not followed; TLS is always verified. Connections are kept for the next webhook.
 */
export class WebhookSender {
  readonly #timeoutMs: number;
  readonly #policy: TargetPolicy;
  readonly #agent: Agent;
  readonly #opening = new Set<AbortController>();
  readonly #underWay = new Set<Promise<Attempt>>();
  #closed = false;

  /**
   * `timeoutMs` bounds a whole attempt, from resolving the name to the last byte of the answer. More attempts to one origin
   * than `connectionsPerOrigin` wait for a connection, within their own time.
   */
  constructor(options: {
    timeoutMs: number;
    connectionsPerOrigin: number;
    policy: TargetPolicy;
    resolve?: Resolve;
    connect?: Connect;
  }) {
    const { timeoutMs, connectionsPerOrigin, policy } = options;
    const { resolve = resolverFor(policy), connect = connectToAddresses } = options;
    this.#timeoutMs = timeoutMs;
    this.#policy = policy;
    this.#agent = new Agent({
      connect: guardedConnector({ timeoutMs, policy, resolve, connect, opening: this.#opening }),
      connections: connectionsPerOrigin,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: MAX_IDLE_MS,
      // One limit for the whole attempt stands in for these.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  /** Sends a webhook once. Never rejects: whatever happens is the attempt's outcome. */
  send(request: WebhookRequest): Promise<Attempt> {
    const attempt = this.#attempt(request);
    this.#underWay.add(attempt);
    return attempt.finally(() => this.#underWay.delete(attempt));
  }

  /** Lets the attempts under way end, within their time, and closes every connection. Later ones fail. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#underWay);
    for (const controller of this.#opening) controller.abort();
    await this.#agent.destroy();
  }

  async #attempt(request: WebhookRequest): Promise<Attempt> {
    const started = performance.now();
    const signal = AbortSignal.timeout(this.#timeoutMs);
    const answer: Answer = { status: null };
    // An attempt that waits for its connection does not hear the signal by itself.
    const failure = await orAborted(signal, this.#exchange(request, { signal, answer })).then(
      () => null,
      (error: unknown) => describeFailure(error, { ...answer, timeoutMs: this.#timeoutMs }),
    );
    const { status } = answer;
    const error = (status === null ? null : statusProblem(status)) ?? failure;
    return { status, error, durationMs: Math.round(performance.now() - started) };
  }

  async #exchange(request: WebhookRequest, attempt: { signal: AbortSignal; answer: Answer }): Promise<void> {
    if (this.#closed) throw new AttemptError("The sender is closed.");
    // Judged at every attempt: the policy may have changed since the subscription was made.
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
    attempt.answer.status = statusCode;
    await discard(body);
  }
}

/** Reads a body to its end, or cuts it where it grows too long. */
async function discard(body: Readable): Promise<void> {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += (chunk as Buffer).length;
    // Leaving the loop destroys the stream and with it the connection.
    if (bytes > MAX_RESPONSE_BYTES) return;
  }
}
