import { lookup, Resolver } from "node:dns/promises";
import type { TargetPolicy } from "./addresses";
import type { Resolve } from "./connect";

/** A silent name server is given up after some five seconds: the first wait, and twice as long a second one. */
const QUERY = { timeout: 1_500, tries: 2 };

/**
 * How host names are looked up. Public ones are asked of DNS: the system's look-ups wait for a silent name server on two threads
 * that all of this process share, those of the database's and the image store's names too. Where private addresses are allowed,
 * names are what the system takes them for, its hosts file and search domains included.
 *
 * @param servers name servers to ask instead of the system's, as `address:port`
 */
export function resolverFor({ allowPrivate }: TargetPolicy, servers?: readonly string[]): Resolve {
  if (allowPrivate) return (hostname) => lookup(hostname, { all: true });
  return async (hostname) => {
    // A new one each time: it reads the system's name servers, which may have changed.
    const resolver = new Resolver(QUERY);
    if (servers) resolver.setServers(servers);
    const asked = await Promise.all([
      addresses(4, resolver.resolve4(hostname)),
      addresses(6, resolver.resolve6(hostname)),
    ]);
    return asked.flat();
  };
}

/** A name may well have addresses of one family alone, or a name server that answers for one alone. */
async function addresses(family: 4 | 6, answer: Promise<string[]>) {
  return (await answer.catch(() => [])).map((address) => ({ address, family }));
}
