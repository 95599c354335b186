import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { parseUrl } from "@/lib/platform/parse-url";

/** Where webhooks may go. */
export interface TargetPolicy {
  /** Loopback and private addresses pass, and http: for demonstrations and closed networks. */
  allowPrivate: boolean;
}

const MAX_URL_CHARACTERS = 2_000;
const TOO_LONG = `Must have at most ${MAX_URL_CHARACTERS.toLocaleString("en-US")} characters, percent-encoded.`;

/** Metadata and platform services of clouds that are neither link-local nor otherwise refused under every policy. */
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
 * IPv6 addresses that are an IPv4 address by another name: mapped ones, which the system connects by IPv4, and NAT64's
 * well-known prefix, by which a network of IPv6 alone reaches every IPv4 host. They are judged by the address inside.
 * The other embedding forms (compatible, translated, 6to4, Teredo, local NAT64) lead to no receiver and are refused.
 */
const IPV4_INSIDE = ["::ffff:0:0/96", "64:ff9b::/96"].map((range) => ipaddr.parseCIDR(range));
/** All that is given out of IPv6 as public unicast. */
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
 * Why no connection may be made to this IP address, in one sentence for a client developer; null where it may (design §8).
 * Only public unicast addresses pass; with `allowPrivate` loopback, private and carrier-grade NAT ranges too. Link-local and
 * cloud metadata addresses never pass, in whatever form.
 */
export function addressProblem(address: string, policy: TargetPolicy): string | null {
  if (!isIP(address)) return `${address} is not an IP address.`;
  const judged = judgedAddress(address);
  const named = judged.kind() === "ipv4" && isIP(address) === 6 ? `${address} (${judged})` : address;
  const refusal = refusalOf(judged, policy);
  return refusal && `${named} is ${refusal}`;
}

/**
 * Why none of the addresses of a host name may be connected to, null where all may (design §8). One refused address refuses
 * them all: which one a connection takes is a matter of chance. The sentence does not tell the address, so that a client
 * learns nothing of the names of an inner network.
 */
export function resolvedProblem(addresses: readonly string[], policy: TargetPolicy): string | null {
  for (const address of addresses) {
    const refusal = isIP(address) ? refusalOf(judgedAddress(address), policy) : "no IP address.";
    if (refusal) return `The host name resolves to ${refusal}`;
  }
  return null;
}

/**
 * One spelling of a URL that has no problem, for what is stored, called and compared: ASCII, and no longer than the index that
 * forbids a second subscription takes.
 */
export function normalTarget(url: string): string {
  return new URL(url).href;
}

/**
 * Why a subscription may not name this URL, in one sentence for a client developer; null where it may (design §8). A host
 * name is only looked up when a webhook is sent, and its addresses are judged then.
 */
export function targetProblem(url: string, policy: TargetPolicy): string | null {
  // Before anything reads it: megabytes take a while to parse.
  if (url.length > MAX_URL_CHARACTERS) return TOO_LONG;
  // URL parsing drops white space and control characters: what is called would not be what was sent.
  const parsed = /[\s\p{Cc}]/u.test(url) ? null : parseUrl(url);
  if (!parsed) return "Must be an absolute URL.";
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
    return `${host} is a local name; webhooks go to public addresses only.`;
  return null;
}

function judgedAddress(address: string): Address {
  // ipaddr.js reads `::1.2.3.4` as the mapped address, which to the system it is not.
  const parsed = ipaddr.parse(address.replace(/^::(?=\d+\.)/, "0:0:0:0:0:0:"));
  return isWithin(parsed, IPV4_INSIDE) ? ipaddr.fromByteArray(parsed.toByteArray().slice(12)) : parsed;
}

/** The end of a sentence that says what the address is. */
function refusalOf(address: Address, { allowPrivate }: TargetPolicy): string | null {
  if (isWithin(address, METADATA)) return "a cloud metadata address; webhooks never go there.";
  const range = rangeOf(address);
  if (range === "unicast" || (allowPrivate && PRIVATE.has(range))) return null;
  const rule = PRIVATE.has(range) ? "webhooks go to public addresses only" : "webhooks never go there";
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
