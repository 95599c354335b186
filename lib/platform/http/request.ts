import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import ipaddr from "ipaddr.js";
import { config } from "@/lib/platform/config";

/** The request line or the Host header do not make a valid URL: 400. */
export class MalformedRequestError extends Error {}

/**
 * The header with the address at the other end of the connection, for routes and pages. Our server overwrites what a client sends;
 * `next dev` does not know the header and passes it on.
 */
export const PEER_HEADER = "x-crosswalk-peer";

const HOST = /^(?:[\w.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;
/** `..` would turn a path into another one: DELETE patients/1/policies/.. must not delete the patient. */
const DOT_SEGMENT = /\/(?:\.|%2e){1,2}(?:\/|$)/i;
const FORWARDED = /^x-forwarded-|^forwarded$/;

/**
 * Returns the path a request asks for, and reduces `req.url` to path and query. Only the syntax of the host is checked, because links
 * never use it.
 *
 * @throws {MalformedRequestError}
 */
export function readPath(req: IncomingMessage): string {
  const host = req.headers.host ?? (req.httpVersion === "1.0" ? "localhost" : "");
  const target = req.url ?? "";
  // A proxy may send the absolute form. Any other target that is not a path, such as `*`, is not served.
  const absolute = /^https?:\/\/[^/?#]+(\/.*)?$/i.exec(target);
  const [relative = ""] = (absolute ? (absolute[1] ?? "/") : target).split("#", 1);
  const [path = ""] = relative.split("?", 1);
  if (!path.startsWith("/")) throw new MalformedRequestError();
  if (!HOST.test(host) || path.includes("\\") || DOT_SEGMENT.test(path)) throw new MalformedRequestError();
  req.url = relative;
  try {
    return new URL(`http://${host}${relative}`).pathname;
  } catch {
    throw new MalformedRequestError();
  }
}

/**
 * Removes the headers that only a trusted proxy may send, and adds the peer's address. Our routes and Next's pages then need not distrust
 * headers. Even a trusted proxy only provides the client's address, because PUBLIC_URL is the server's own.
 */
export function sanitizeHeaders(req: IncomingMessage, trustProxy: boolean): void {
  const peer = req.socket.remoteAddress ?? "";
  // Both forms: a Request looks names up in `headers` and iterates over `rawHeaders`.
  const raw: string[] = [];
  for (let index = 0; index < req.rawHeaders.length; index += 2) {
    const name = req.rawHeaders[index] ?? "";
    const lowerName = name.toLowerCase();
    if (lowerName === PEER_HEADER || isDistrusted(lowerName, trustProxy)) delete req.headers[lowerName];
    else raw.push(name, req.rawHeaders[index + 1] ?? "");
  }
  raw.push(PEER_HEADER, peer);
  req.rawHeaders = raw;
  req.headers[PEER_HEADER] = peer;
}

function isDistrusted(name: string, trustProxy: boolean): boolean {
  return FORWARDED.test(name) && !(trustProxy && name === "x-forwarded-for");
}

const MAX_ADDRESS_LENGTH = 100;

/** Returns the client's address, or an empty text if it is unknown. Uses the header of a proxy only if the settings trust it. */
export function clientAddress(header: (name: string) => string | null): string {
  const forwarded = config().TRUST_PROXY ? header("x-forwarded-for")?.split(",").at(-1)?.trim() : undefined;
  return (forwarded || header(PEER_HEADER) || "").slice(0, MAX_ADDRESS_LENGTH);
}

/**
 * Returns what counts as one address for limits: an IPv4 address, or the /64 network of an IPv6 address, which belongs to one customer.
 * Other text is returned unchanged.
 */
export function addressGroup(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === "ipv4") return parsed.toString();
  return `${(parsed as ipaddr.IPv6).parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(":")}::/64`;
}

/** Returns the request ID a client sent, so that logs of both sides can be matched, or a new one if it is missing or invalid. */
export function toRequestId(sent: string | null | undefined): string {
  return sent && /^[\w.-]{8,64}$/.test(sent) ? sent : randomUUID();
}

/** Returns the path of a URL without a trailing slash, because both forms name the same resource. */
export function canonicalPath(url: URL): string {
  return url.pathname.replace(/\/$/, "");
}
