import type { IncomingMessage } from "node:http";

/** The result of `bufferBody`. */
export type BufferedBody = "whole" | "too_large" | "too_slow" | "left";

/** Returns whether a request has a body, whatever its method. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/**
 * Waits until the whole body is in the request's own buffer, for a handler that has no limits itself. Gives up on a larger body as soon
 * as its declared length or the bytes received exceed the limit.
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
      // Restores the prototype's method.
      Reflect.deleteProperty(req, "push");
      resolve(result);
    };
    const left = () => settle("left");
    const timer = setTimeout(() => settle("too_slow"), limits.ms);
    req.on("close", left);
    // The parser pushes what arrives, and stops reading if `push` returns false, which must not happen while nobody reads. Listening for
    // "data" instead would take the body away from the handler.
    req.push = (chunk: Buffer | null, encoding?: BufferEncoding) => {
      if (chunk !== null) size += chunk.length;
      if (chunk === null) settle("whole");
      else if (size > limits.bytes) settle("too_large");
      const wanted = push(chunk, encoding);
      return held || wanted;
    };
  });
}
