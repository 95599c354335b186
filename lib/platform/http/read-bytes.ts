import type { IncomingMessage } from "node:http";
import { config } from "@/lib/platform/config";
import { ClientLeftError, PayloadTooLargeError, RequestTimeoutError } from "./errors";
import { Pace } from "./pace";

/**
 * Reads the bytes of a body. A body that is larger than MAX_BODY_BYTES, or than `limitBytes` if that is less, is rejected as soon as
 * its declared length or the bytes received exceed the limit.
 *
 * @param options.incoming Node's message behind the request. Reading from it costs a fraction of what a stream does, and a client
 *   that sends too slowly is rejected. It is absent under `next dev`.
 */
export function readBytes(
  request: Request,
  options: { limitBytes?: number; incoming?: IncomingMessage | undefined } = {},
): Promise<Uint8Array> {
  const limitBytes = Math.min(options.limitBytes ?? Number.POSITIVE_INFINITY, config().MAX_BODY_BYTES);
  if (Number(request.headers.get("content-length") ?? 0) > limitBytes) {
    return Promise.reject(new PayloadTooLargeError(limitBytes));
  }
  return options.incoming ? readMessage(options.incoming, limitBytes) : readStream(request.body, limitBytes);
}

function readMessage(incoming: IncomingMessage, limitBytes: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const pace = new Pace();
    const chunks: Buffer[] = [];
    let size = 0;
    let timer: NodeJS.Timeout | undefined;

    const settle = (finish: () => void) => {
      clearTimeout(timer);
      // An error may still come, and would reach nobody without its listener.
      incoming.off("data", onData).off("end", onEnd).off("close", onLeft);
      finish();
    };
    const stop = (error: Error) => {
      incoming.pause();
      settle(() => reject(error));
    };
    const waitForMore = () => {
      clearTimeout(timer);
      timer = setTimeout(() => stop(new RequestTimeoutError()), pace.wait());
    };
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size > limitBytes) return stop(new PayloadTooLargeError(limitBytes));
      chunks.push(chunk);
      pace.moved(chunk.length);
      waitForMore();
    };
    const onEnd = () => settle(() => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    const onLeft = (cause?: Error) => settle(() => reject(new ClientLeftError(cause)));

    if (incoming.destroyed) return onLeft();
    waitForMore();
    incoming.on("data", onData).on("end", onEnd).on("error", onLeft).on("close", onLeft);
  });
}

async function readStream(body: ReadableStream<Uint8Array> | null, limitBytes: number): Promise<Uint8Array> {
  if (!body) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read().catch((cause: unknown) => {
      throw new ClientLeftError(cause);
    });
    if (done) return Buffer.concat(chunks);
    size += value.byteLength;
    if (size > limitBytes) {
      await reader.cancel().catch(() => {});
      throw new PayloadTooLargeError(limitBytes);
    }
    chunks.push(value);
  }
}
