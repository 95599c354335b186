import { config } from "@/lib/config";
import { PEER_HEADER } from "./node-adapter";

const LONGEST = 100;

/** The caller's address, or "" where it is not known: the proxy's word is taken where the settings trust one. */
export function addressOf(header: (name: string) => string | null): string {
  const forwarded = config().TRUST_PROXY ? header("x-forwarded-for")?.split(",").at(-1)?.trim() : undefined;
  return (forwarded || header(PEER_HEADER) || "").slice(0, LONGEST);
}
