import type { LookupAddress } from "node:dns";
import { lookup, Resolver } from "node:dns/promises";
import { isIP } from "node:net";
import { buildConnector } from "undici";
import { resolvedProblem, type TargetPolicy } from "./addresses";
import { AttemptError } from "./failures";

/** The addresses of a host name; rejects where it has none. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

/** Makes what opens a connection to one of these judged addresses, and to no other. Tests put in one of their own. */
export type Connect = (
  addresses: readonly LookupAddress[],
  options: buildConnector.BuildOptions,
) => buildConnector.connector;

/** How long one of several addresses is tried before the next. */
const NEXT_ADDRESS_MS = 1_000;

/** Connects to the first address that answers. The host's name stays what the certificate is for. */
export const connectToAddresses: Connect = (addresses, options) =>
  buildConnector({
    ...options,
    // Asked by the socket in the place of DNS: a second look-up could give what nobody has judged.
    lookup: (_hostname, { all }, callback) => {
      const [first] = addresses;
      if (all || !first) callback(null, [...addresses]);
      else callback(null, first.address, first.family);
    },
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
  });

/**
 * What undici opens its connections with (design §8): the host is resolved once, every address is judged, and the connection
 * goes to these addresses or is not made. Resolving, connecting and TLS together take `timeoutMs` at most. `opening` holds
 * the connections being opened: aborting one ends it.
 */
export function guardedConnector(options: {
  timeoutMs: number;
  policy: TargetPolicy;
  resolve: Resolve;
  connect: Connect;
  opening: Set<AbortController>;
}): buildConnector.connector {
  const { timeoutMs, policy, resolve, connect, opening } = options;
  return (target, callback) => {
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), timeoutMs);
    opening.add(controller);
    const finish: buildConnector.Callback = (...result) => {
      clearTimeout(timer);
      opening.delete(controller);
      callback(...result);
    };
    const { signal } = controller;
    // Verification is said outright: an environment variable of Node's could turn it off. No TLS sessions are kept: a resumed
    // one is not verified anew.
    const settings = { signal, timeout: 0, rejectUnauthorized: true, maxCachedSessions: 0 };
    orAborted(signal, judgedAddresses(target.hostname, { policy, resolve }))
      .then((addresses) => connect(addresses, settings)(target, finish))
      .catch((error: Error) => finish(error, null));
  };
}

/** The outcome of the work, or the signal's reason where that comes first; the work goes on unheard. */
export function orAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

async function judgedAddresses(
  hostname: string,
  { policy, resolve }: { policy: TargetPolicy; resolve: Resolve },
): Promise<readonly LookupAddress[]> {
  const family = isIP(hostname);
  const addresses = family ? [{ address: hostname, family }] : await resolve(hostname).catch(() => []);
  if (addresses.length === 0) throw new AttemptError("The host name does not resolve.");
  const problem = resolvedProblem(
    addresses.map(({ address }) => address),
    policy,
  );
  if (problem) throw new AttemptError(problem);
  return addresses;
}

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
