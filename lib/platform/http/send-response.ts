import type { IncomingMessage, ServerResponse } from "node:http";
import { hasBody } from "./hold-body";
import { contentOf } from "./light-messages";
import { SECURITY_HEADERS } from "./reply";
import { LINGER, PAGE_BODY_BYTES, Pace } from "./server-limits";

const LATER = Symbol("later");
const nextTurn = () => new Promise<typeof LATER>((resolve) => setImmediate(resolve, LATER));

/**
 * Sends a Response. A body that is there at once goes out in one write with its length; one that comes bit by bit is
 * passed on as it comes. A client that reads too slowly is cut off.
 */
export async function sendResponse(res: ServerResponse, response: Response): Promise<void> {
  const headers: string[] = [];
  for (const [name, value] of response.headers) headers.push(name, value);
  for (const [name, value] of SECURITY_HEADERS) if (!response.headers.has(name)) headers.push(name, value);
  const content = contentOf(response);
  if (content !== null) {
    headers.push("content-length", String(Buffer.byteLength(content)));
    await sendWhole(res, { status: response.status, headers }, content);
    return;
  }
  if (!response.body || res.req.method === "HEAD") {
    await response.body?.cancel();
    await sendWhole(res, { status: response.status, headers }, undefined);
    return;
  }
  const reader = response.body.getReader();
  const first = await reader.read();
  const second = first.done ? first : reader.read();
  const next = await Promise.race([second, nextTurn()]);
  if (next !== LATER && next.done) {
    const bytes = first.value ?? new Uint8Array();
    if (!response.headers.has("content-length")) headers.push("content-length", String(bytes.byteLength));
    await sendWhole(res, { status: response.status, headers }, bytes);
    return;
  }
  if (leavesBody(res.req)) res.shouldKeepAlive = false;
  res.writeHead(response.status, headers);
  await passOn(res, reader, [first, second]);
}

/** An answer up to this size goes out in one write, and `STALLED_MS` alone limits how long it may lie unread. */
const SMALL_BYTES = 256 * 1024;
const SLICE_BYTES = 64 * 1024;

/**
 * Sends an answer that is complete. Where much of the request's body is unread, the connection ends with it, but not before
 * the client had a moment to see the answer: closing a socket with unread bytes would take it back.
 */
export async function sendWhole(
  res: ServerResponse,
  { status, headers }: { status: number; headers: string[] },
  content: string | Uint8Array | undefined,
): Promise<void> {
  const body = res.req.method === "HEAD" ? undefined : content;
  // Of a client that was too slow, the rest is not waited for either.
  const closes = leavesBody(res.req) || (status === 408 && !res.req.complete);
  if (closes) res.shouldKeepAlive = false;
  res.writeHead(status, headers);
  const isSmall = body === undefined || body.length <= SMALL_BYTES;
  if (isSmall && !closes) {
    res.end(body);
    return;
  }
  const pace = new Pace();
  const bytes = typeof body === "string" ? Buffer.from(body) : (body ?? new Uint8Array());
  for (let at = 0; at < bytes.length && !res.destroyed; at += SLICE_BYTES) {
    await write(res, bytes.subarray(at, at + SLICE_BYTES), pace);
  }
  if (closes && !res.destroyed) await linger(res);
  res.end();
}

/** Whether much of a request's body is still to come, that nobody will read. A small one is read and forgotten. */
function leavesBody(req: IncomingMessage): boolean {
  if (req.complete || !hasBody(req)) return false;
  return req.headers["transfer-encoding"] !== undefined || Number(req.headers["content-length"]) > PAGE_BODY_BYTES;
}

/** Waits until the client has stopped sending, reading and forgetting a little of what it sends. */
function linger(res: ServerResponse): Promise<void> {
  const { req } = res;
  // The headers are out only with the first byte of a body.
  res.flushHeaders();
  return new Promise((resolve) => {
    let left = LINGER.bytes;
    const done = () => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(done, LINGER.ms);
    req.on("data", (chunk: Buffer) => {
      left -= chunk.length;
      if (left < 0) req.pause();
    });
    req.once("end", done);
    req.once("close", done);
    res.once("close", done);
    req.resume();
  });
}

type Chunk = ReadableStreamReadResult<Uint8Array>;

async function passOn(
  res: ServerResponse,
  reader: ReadableStreamDefaultReader<Uint8Array>,
  begun: [Chunk, Chunk | Promise<Chunk>],
): Promise<void> {
  const pace = new Pace();
  try {
    for (let chunk = await begun[0], index = 1; !chunk.done && !res.destroyed; index++) {
      await write(res, chunk.value, pace);
      chunk = await (index === 1 ? begun[1] : reader.read());
    }
    if (res.destroyed) await reader.cancel();
    else res.end();
  } catch (error) {
    // Half an answer is out: cutting the connection is the one way left to say that it is not whole.
    res.destroy();
    throw error;
  }
}

/** Writes some bytes and waits until there is room for more; a client that takes too long is cut off. */
async function write(res: ServerResponse, bytes: Uint8Array, pace: Pace): Promise<void> {
  if (res.write(bytes)) return;
  const limitMs = pace.wait();
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer);
      res.off("drain", done);
      res.off("close", done);
      resolve();
    };
    const timer = setTimeout(() => {
      res.destroy();
      done();
    }, limitMs);
    res.once("drain", done);
    res.once("close", done);
  });
  pace.moved(bytes.byteLength);
}
