import type { IncomingMessage, ServerResponse } from "node:http";
import { RequestTimeoutError } from "./errors";
import { hasBody } from "./hold-body";
import { lightRequest } from "./light-messages";
import { Pace } from "./server-limits";

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
 * The URL a request asks for. Its host is what the client wrote, checked for its form alone: no link is made of it.
 *
 * @throws {MalformedRequestError}
 */
export function urlOf(req: IncomingMessage): URL {
  const host = req.headers.host ?? (req.httpVersion === "1.0" ? "localhost" : "");
  const target = req.url ?? "";
  // The absolute form (a proxy's) names its own host; anything else that is no path ("*") is nothing we serve.
  const absolute = /^https?:\/\/[^/?#]+(\/.*)?$/i.exec(target);
  if (!HOST.test(host) || !(absolute || target.startsWith("/"))) throw new MalformedRequestError();
  if (DOT_SEGMENT.test(target.split(/[?#]/, 1)[0] ?? "")) throw new MalformedRequestError();
  try {
    return new URL(`http://${host}${absolute ? (absolute[1] ?? "/") : target}`);
  } catch {
    throw new MalformedRequestError();
  }
}

/**
 * Takes away what only a trusted proxy may say, so that neither our routes nor Next's pages believe a client. Of a trusted
 * proxy the caller's address alone is believed: where the server is, PUBLIC_URL says.
 */
export function distrustForwarding(req: IncomingMessage, trustProxy: boolean): void {
  for (const name of Object.keys(req.headers)) if (isDistrusted(name, trustProxy)) delete req.headers[name];
}

const isDistrusted = (name: string, trustProxy: boolean) =>
  FORWARDED.test(name) && !(trustProxy && name === "x-forwarded-for");

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
    if (name === PEER_HEADER || isDistrusted(name, options.trustProxy)) continue;
    headers.push([name, raw[index + 1] as string]);
  }
  headers.push([PEER_HEADER, req.socket.remoteAddress ?? ""]);
  const openBody = method !== "GET" && method !== "HEAD" && hasBody(req) ? () => bodyOf(req) : null;
  return lightRequest({ method, url: options.url.href, headers, openBody, openSignal: () => signalOf(res) });
}

/**
 * A stream of the body that reads from the socket only as fast as it is read itself, and gives up on a client that sends
 * too slowly.
 */
function bodyOf(req: IncomingMessage): ReadableStream<Uint8Array> {
  const pace = new Pace();
  let timer: NodeJS.Timeout | undefined;
  let listening = false;
  let ended = false;
  const end = (finish: () => void) => {
    clearTimeout(timer);
    if (!ended) finish();
    ended = true;
  };
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (!listening) {
          listening = true;
          req.on("data", (chunk: Buffer) => {
            if (ended) return;
            clearTimeout(timer);
            pace.moved(chunk.length);
            req.pause();
            controller.enqueue(chunk);
          });
          req.on("end", () => end(() => controller.close()));
          req.on("error", (error) => end(() => controller.error(error)));
          req.on("close", () => end(() => controller.error(new Error("The client left."))));
        }
        timer = setTimeout(() => end(() => controller.error(new RequestTimeoutError())), pace.wait());
        req.resume();
      },
      cancel() {
        end(() => {});
        req.removeAllListeners("data");
        req.pause();
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
