import ipaddr from "ipaddr.js";
import { config } from "@/lib/platform/config";
import { PEER_HEADER } from "./request-line";

const MAX_LENGTH = 100;

/** Returns the client's address, or an empty text if it is unknown. Believes a proxy only if the settings trust it. */
export function clientAddress(header: (name: string) => string | null): string {
  const forwarded = config().TRUST_PROXY ? header("x-forwarded-for")?.split(",").at(-1)?.trim() : undefined;
  return (forwarded || header(PEER_HEADER) || "").slice(0, MAX_LENGTH);
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
