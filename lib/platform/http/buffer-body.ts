import type { IncomingMessage } from "node:http";

/** What became of a body that was waited for. */
export type BufferedBody = "whole" | "too_large" | "too_slow" | "left";

/** Whether a request has a body, whatever its method. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/**
 * Waits until the whole body of a request is here, in the request's own buffer, for a handler that sets no limits itself. A body
 * that is larger than the limit is given up as soon as its length says so, or else with the first byte beyond.
 */
export function bufferBody(req: IncomingMessage, limits: { bytes: number; ms: number }): Promise<BufferedBody> {
  if (Number(req.headers["content-length"] ?? 0) > limits.bytes) return Promise.resolve("too_large");
  if (!hasBody(req)) return Promise.resolve("whole");
  return new Promise((resolve) => {
    const push = req.push.bind(req);
    let size = 0;
    let held = true;
    const settle = (result: BufferedBody) => {
      clearTimeout(timer);
      req.off("close", left);
      held = false;
      // The prototype's own comes back.
      Reflect.deleteProperty(req, "push");
      resolve(result);
    };
    const left = () => settle("left");
    const timer = setTimeout(() => settle("too_slow"), limits.ms);
    req.on("close", left);
    // The parser pushes what arrives. Listening for "data" would take it away from the handler; and only the answer of `push`
    // makes the parser stop reading, which it must not while nobody else reads.
    req.push = (chunk: Buffer | null, encoding?: BufferEncoding) => {
      if (chunk !== null) size += chunk.length;
      if (chunk === null) settle("whole");
      else if (size > limits.bytes) settle("too_large");
      const wanted = push(chunk, encoding);
      return held || wanted;
    };
  });
}
