import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { isIPv4 } from "node:net";
import ipaddr from "ipaddr.js";
import { config } from "@/lib/platform/config";

/** The request line or the Host header do not make a valid URL: 400. Clients see the message. */
export class MalformedRequestError extends Error {
  constructor(message = "The request line or the Host header is malformed.") {
    super(message);
  }
}

/**
 * The header with the address at the other end of the connection, for routes and pages. Our server overwrites what a client sends;
 * `next dev` does not know the header and passes it on.
 */
export const PEER_HEADER = "x-crosswalk-peer";

const HOST = /^(?:[\w.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;
/** `..` would turn a path into another one: DELETE patients/1/policies/.. must not delete the patient. */
const DOT_SEGMENT = /\/(?:\.|%2e){1,2}(?:\/|$)/i;
const FORWARDED = /^x-forwarded-|^forwarded$/;

/** A path that a URL would not change. */
const PLAIN_PATH = /^[\w\-./~%]*$/;
/** Hosts of which a URL was made. A server has one or two, which need no check for each request. */
const knownHosts = new Set<string>();
const MAX_KNOWN_HOSTS = 100;

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
  const absolute = target.startsWith("/") ? null : /^https?:\/\/[^/?#]+(\/.*)?$/i.exec(target);
  const [relative = ""] = (absolute ? (absolute[1] ?? "/") : target).split("#", 1);
  const [path = ""] = relative.split("?", 1);
  if (!path.startsWith("/")) throw new MalformedRequestError();
  const isKnown = knownHosts.has(host);
  if (DOT_SEGMENT.test(path))
    throw new MalformedRequestError("The path has a segment that is . or .., which is not allowed.");
  if (!(isKnown || HOST.test(host)) || path.includes("\\")) throw new MalformedRequestError();
  req.url = relative;
  if (isKnown && PLAIN_PATH.test(path)) return path;
  try {
    const { pathname } = new URL(`http://${host}${relative}`);
    if (knownHosts.size < MAX_KNOWN_HOSTS) knownHosts.add(host);
    return pathname;
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
  const isDropped = (lowerName: string) => lowerName === PEER_HEADER || isDistrusted(lowerName, trustProxy);
  const dropped = Object.keys(req.headers).filter(isDropped);
  // Both forms: a Request looks names up in `headers` and iterates over `rawHeaders`.
  if (dropped.length > 0) {
    for (const lowerName of dropped) delete req.headers[lowerName];
    const { rawHeaders } = req;
    req.rawHeaders = rawHeaders.filter((_, index) => !isDropped((rawHeaders[index & ~1] ?? "").toLowerCase()));
  }
  req.rawHeaders.push(PEER_HEADER, peer);
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
  if (isIPv4(address)) return address;
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
  return withoutTrailingSlash(url.pathname);
}

function withoutTrailingSlash(path: string): string {
  return path.endsWith("/") ? path.slice(0, -1) : path;
}

/** Splits the URL of a Request, which is normalized, into its canonical path and its query with the question mark. */
export function splitTarget(url: string): { path: string; search: string } {
  const target = url.slice(url.indexOf("/", "https://".length)).split("#", 1)[0] ?? "";
  const mark = target.indexOf("?");
  if (mark === -1) return { path: withoutTrailingSlash(target), search: "" };
  // A question mark alone is no query, as in `URL.search`.
  const search = mark === target.length - 1 ? "" : target.slice(mark);
  return { path: withoutTrailingSlash(target.slice(0, mark)), search };
}
