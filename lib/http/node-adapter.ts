import type { IncomingMessage, ServerResponse } from "node:http";
import { contentOf, lightRequest } from "./light-messages";

/** The request line or the Host header make no URL: 400. */
export class MalformedRequestError extends Error {}

/**
 * The header under which routes find the address of the connection's other end. Our server lets no client set it; `next dev`
 * does not know it, and passes on what a client sends.
 */
export const PEER_HEADER = "x-crosswalk-peer";

const HOST = /^(?:[\w.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;
/** A path with `..` in it would be another path: DELETE patients/1/policies/.. is not to delete the patient. */
const DOT_SEGMENT = /[/\\](?:\.|%2e){1,2}(?:[/\\]|$)/i;
const FORWARDED = /^x-forwarded-|^forwarded$/;

/**
 * The URL a request asks for. Behind a trusted proxy its X-Forwarded-Host and -Proto tell what the client wrote.
 *
 * @throws {MalformedRequestError}
 */
export function urlOf(req: IncomingMessage, trustProxy: boolean): URL {
  const forwarded = (name: string) => (trustProxy ? lastOf(req.headers[name]) : undefined);
  const host = forwarded("x-forwarded-host") ?? req.headers.host ?? (req.httpVersion === "1.0" ? "localhost" : "");
  const target = req.url ?? "";
  // The absolute form (a proxy's) names its own host; anything else that is no path ("*") is nothing we serve.
  const absolute = /^https?:\/\/[^/?#]+(\/.*)?$/i.exec(target);
  if (!HOST.test(host) || !(absolute || target.startsWith("/"))) throw new MalformedRequestError();
  if (DOT_SEGMENT.test(target.split(/[?#]/, 1)[0] ?? "")) throw new MalformedRequestError();
  const protocol = forwarded("x-forwarded-proto") === "https" ? "https" : "http";
  try {
    return new URL(`${protocol}://${host}${absolute ? (absolute[1] ?? "/") : target}`);
  } catch {
    throw new MalformedRequestError();
  }
}

function lastOf(header: string | string[] | undefined): string | undefined {
  return header?.toString().split(",").at(-1)?.trim() || undefined;
}

/** Takes away what only a trusted proxy may say, so that neither our routes nor Next's pages believe a client. */
export function distrustForwarding(req: IncomingMessage): void {
  for (const name of Object.keys(req.headers)) if (FORWARDED.test(name)) delete req.headers[name];
}

/**
 * The web-standard form of a request. The body is read only when it is asked for; `signal` aborts when the client leaves
 * before its answer.
 */
export function toRequest(
  req: IncomingMessage,
  res: ServerResponse,
  options: { url: URL; trustProxy: boolean },
): Request {
  const method = req.method ?? "GET";
  const headers: [string, string][] = [];
  const raw = req.rawHeaders;
  for (let index = 0; index < raw.length; index += 2) {
    const name = (raw[index] as string).toLowerCase();
    if (name === PEER_HEADER || (!options.trustProxy && FORWARDED.test(name))) continue;
    headers.push([name, raw[index + 1] as string]);
  }
  headers.push([PEER_HEADER, req.socket.remoteAddress ?? ""]);
  const openBody = hasBody(req, method) ? () => bodyOf(req) : null;
  return lightRequest({ method, url: options.url.href, headers, openBody, openSignal: () => signalOf(res) });
}

function hasBody(req: IncomingMessage, method: string): boolean {
  if (method === "GET" || method === "HEAD") return false;
  return req.headers["transfer-encoding"] !== undefined || Number(req.headers["content-length"] ?? 0) > 0;
}

/** A stream of the body that reads from the socket only as fast as it is read itself. */
function bodyOf(req: IncomingMessage): ReadableStream<Uint8Array> {
  let listening = false;
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (!listening) {
          listening = true;
          let ended = false;
          const end = (finish: () => void) => {
            if (!ended) finish();
            ended = true;
          };
          req.on("data", (chunk: Buffer) => {
            if (ended) return;
            req.pause();
            controller.enqueue(chunk);
          });
          req.on("end", () => end(() => controller.close()));
          req.on("error", (error) => end(() => controller.error(error)));
          req.on("close", () => end(() => controller.error(new Error("The client left."))));
        }
        req.resume();
      },
      cancel() {
        req.removeAllListeners("data");
        req.resume();
      },
    },
    { highWaterMark: 0 },
  );
}

function signalOf(res: ServerResponse): AbortSignal {
  const controller = new AbortController();
  if (res.destroyed && !res.writableFinished) controller.abort();
  res.once("close", () => {
    if (!res.writableFinished) controller.abort();
  });
  return controller.signal;
}

const LATER = Symbol("later");
const nextTurn = () => new Promise<typeof LATER>((resolve) => setImmediate(resolve, LATER));

/**
 * Sends a Response. A body that is there at once goes out in one write with its length; one that comes bit by bit is
 * passed on as it comes.
 */
export async function sendResponse(res: ServerResponse, response: Response): Promise<void> {
  const headers: string[] = [];
  for (const [name, value] of response.headers) headers.push(name, value);
  const content = contentOf(response);
  if (content !== null) {
    headers.push("content-length", String(Buffer.byteLength(content)));
    res.writeHead(response.status, headers).end(res.req.method === "HEAD" ? undefined : content);
    return;
  }
  if (!response.body || res.req.method === "HEAD") {
    await response.body?.cancel();
    res.writeHead(response.status, headers).end();
    return;
  }
  const reader = response.body.getReader();
  const first = await reader.read();
  const second = first.done ? first : reader.read();
  const next = await Promise.race([second, nextTurn()]);
  if (next !== LATER && next.done) {
    const bytes = first.value ?? new Uint8Array();
    if (!response.headers.has("content-length")) headers.push("content-length", String(bytes.byteLength));
    res.writeHead(response.status, headers).end(bytes);
    return;
  }
  res.writeHead(response.status, headers);
  await passOn(res, reader, [first, second]);
}

type Chunk = ReadableStreamReadResult<Uint8Array>;

async function passOn(
  res: ServerResponse,
  reader: ReadableStreamDefaultReader<Uint8Array>,
  begun: [Chunk, Chunk | Promise<Chunk>],
): Promise<void> {
  const left = new Promise<void>((resolve) => res.once("close", resolve));
  try {
    for (let chunk = await begun[0], index = 1; !chunk.done && !res.destroyed; index++) {
      if (!res.write(chunk.value)) await Promise.race([new Promise((resolve) => res.once("drain", resolve)), left]);
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
