import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { parseUrl } from "@/lib/platform/parse-url";

/** Where webhooks may be sent. */
export interface TargetPolicy {
  /** Allows loopback and private addresses, and http, for demonstrations and closed networks. */
  allowPrivate: boolean;
}

const MAX_PORT = 65_535;
const PORT = /^https?:\/\/[^/?#]+:(\d+)(?:[/?#]|$)/i;
const MAX_URL_CHARACTERS = 2_000;
const TOO_LONG = `Must have at most ${MAX_URL_CHARACTERS.toLocaleString("en-US")} characters after percent-encoding.`;

/** Metadata and platform services of clouds whose addresses are not rejected for another reason. */
const METADATA = [
  "100.100.100.200/32", // Alibaba
  "168.63.129.16/32", // Azure, an address of the public range
  "192.0.0.192/32", // Oracle Classic
  "fd00:ec2::/32", // AWS
  "fd20:ce::/32", // Google
  "fd00:c1::/32", // Oracle
  "fd00:42::/32", // Scaleway
  "fd00:a9fe:a9fe::/48", // Akamai
].map((range) => ipaddr.parseCIDR(range));

/**
 * IPv6 ranges that stand for IPv4 addresses: mapped addresses, which the system connects to over IPv4, and the well-known NAT64
 * prefix, which IPv6-only networks use to reach IPv4 hosts. The embedded address is checked. Other embeddings (compatible,
 * translated, 6to4, Teredo, local NAT64) reach no receiver and are rejected.
 */
const IPV4_INSIDE = ["::ffff:0:0/96", "64:ff9b::/96"].map((range) => ipaddr.parseCIDR(range));
/** The allocated public unicast range of IPv6. */
const GLOBAL_UNICAST = ipaddr.parseCIDR("2000::/3");

const KINDS: Readonly<Record<string, string>> = {
  loopback: "a loopback",
  private: "a private",
  uniqueLocal: "a private",
  carrierGradeNat: "a carrier-grade NAT",
  linkLocal: "a link-local",
  multicast: "a multicast",
  broadcast: "a broadcast",
  unspecified: "an unspecified",
};
const PRIVATE: ReadonlySet<string> = new Set(["loopback", "private", "uniqueLocal", "carrierGradeNat"]);
const LOCAL_NAME = /(^|\.)(localhost|local|internal)$/;

type Address = ReturnType<typeof ipaddr.parse>;

/**
 * Returns why connections to an IP address are not allowed, in one sentence for the client's developers, or null if they are.
 * Public unicast addresses are allowed, and with `allowPrivate` also loopback, private and carrier-grade NAT
 * addresses. Link-local and cloud metadata addresses never are, in any notation.
 */
export function addressProblem(address: string, policy: TargetPolicy): string | null {
  if (!isIP(address)) return `${address} is not an IP address.`;
  const effective = effectiveAddress(address);
  const named = effective.kind() === "ipv4" && isIP(address) === 6 ? `${address} (${effective})` : address;
  const reason = rejectionReason(effective, policy);
  return reason && `${named} is ${reason}`;
}

/**
 * Returns why connections to a host name with these addresses are not allowed, or null if they are. A single
 * rejected address is enough, because a connection could use any of them. The message does not contain the address, so that
 * clients can't explore an internal network.
 */
export function resolvedProblem(addresses: readonly string[], policy: TargetPolicy): string | null {
  for (const address of addresses) {
    const reason = isIP(address) ? rejectionReason(effectiveAddress(address), policy) : "no IP address.";
    if (reason) return `The host name resolves to ${reason}`;
  }
  return null;
}

/**
 * Normalizes a valid URL, for storing, calling and comparing it. The result is ASCII, and short enough for the unique index of
 * subscriptions.
 */
export function normalizeTarget(url: string): string {
  return new URL(url).href;
}

/**
 * Returns why a subscription can't have this target URL, in one sentence for the client's developers, or null if it can (design
 * §8). Host names are resolved when a webhook is sent, and their addresses are checked then.
 */
export function targetProblem(url: string, policy: TargetPolicy): string | null {
  // Checked first, because parsing megabytes takes long.
  if (url.length > MAX_URL_CHARACTERS) return TOO_LONG;
  // URL parsing drops white space and control characters, so another URL would be called than was sent.
  if (/[\s\p{Cc}]/u.test(url)) return "Must not contain spaces, line breaks or control characters.";
  const parsed = parseUrl(url);
  if (!parsed) {
    const isFar = Number(PORT.exec(url)?.[1] ?? 0) > MAX_PORT;
    return isFar ? `Must have a port of at most ${MAX_PORT}.` : "Must be an absolute URL.";
  }
  const { protocol, username, password, href, hostname } = parsed;
  if (href.length > MAX_URL_CHARACTERS) return TOO_LONG;
  if (!policy.allowPrivate && protocol !== "https:") return "Must be an https URL.";
  if (protocol !== "https:" && protocol !== "http:") return "Must be an https or http URL.";
  if (username || password) return "Must not contain a user name or password.";
  if (href.includes("#")) return "Must not have a fragment.";
  const host = hostname.replace(/^\[|\]$/g, "").replace(/\.+$/, "");
  if (host === "") return "Must be an absolute URL.";
  if (isIP(host)) return addressProblem(host, policy);
  if (LOCAL_NAME.test(host) && !policy.allowPrivate)
    return `${host} is a local name; webhooks are only sent to public addresses.`;
  return null;
}

function effectiveAddress(address: string): Address {
  // ipaddr.js parses `::1.2.3.4` as a mapped address, but the system does not treat it as one.
  const parsed = ipaddr.parse(address.replace(/^::(?=\d+\.)/, "0:0:0:0:0:0:"));
  return isWithin(parsed, IPV4_INSIDE) ? ipaddr.fromByteArray(parsed.toByteArray().slice(12)) : parsed;
}

/** Returns the end of a sentence that says why an address is rejected, or null if it is allowed. */
function rejectionReason(address: Address, { allowPrivate }: TargetPolicy): string | null {
  if (isWithin(address, METADATA)) return "a cloud metadata address; webhooks are never sent there.";
  const range = rangeOf(address);
  if (range === "unicast" || (allowPrivate && PRIVATE.has(range))) return null;
  const rule = PRIVATE.has(range) ? "webhooks are only sent to public addresses" : "webhooks are never sent there";
  return `${KINDS[range] ?? "a reserved"} address; ${rule}.`;
}

function rangeOf(address: Address): string {
  const range = address.range();
  const unallocated = range === "unicast" && address.kind() === "ipv6" && !isWithin(address, [GLOBAL_UNICAST]);
  return unallocated ? "reserved" : range;
}

function isWithin(address: Address, ranges: readonly [Address, number][]): boolean {
  return ranges.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
}
