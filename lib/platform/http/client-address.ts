import ipaddr from "ipaddr.js";
import { config } from "@/lib/platform/config";
import { PEER_HEADER } from "./request-line";

const LONGEST = 100;

/** The caller's address, or "" where it is not known: the proxy's word is taken where the settings trust one. */
export function clientAddress(header: (name: string) => string | null): string {
  const forwarded = config().TRUST_PROXY ? header("x-forwarded-for")?.split(",").at(-1)?.trim() : undefined;
  return (forwarded || header(PEER_HEADER) || "").slice(0, LONGEST);
}

/**
 * What counts as one address for a limit: an IPv4 address, or the /64 network of an IPv6 address, which one customer has to
 * themselves. Text that is no address counts as it is.
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
