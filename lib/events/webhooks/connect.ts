import type { LookupAddress } from "node:dns";
import { lookup, Resolver } from "node:dns/promises";
import { isIP } from "node:net";
import { buildConnector } from "undici";
import { resolvedProblem, type TargetPolicy } from "./addresses";
import { AttemptError } from "./failures";

/** Resolves a host name to its addresses. Rejects if it has none. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

/** Creates a connector to these checked addresses only. Tests replace it. */
export type Connect = (
  addresses: readonly LookupAddress[],
  options: buildConnector.BuildOptions,
) => buildConnector.connector;

/** How long an address is tried before the next one. */
const NEXT_ADDRESS_MS = 1_000;

/** Connects to the first address that accepts. The certificate is still verified for the host name. */
export const connectToAddresses: Connect = (addresses, options) =>
  buildConnector({
    ...options,
    // Replaces the socket's own DNS lookup, which could return addresses that were not checked.
    lookup: (_hostname, { all }, callback) => {
      const [first] = addresses;
      if (all || !first) callback(null, [...addresses]);
      else callback(null, first.address, first.family);
    },
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
  });

/**
 * Creates a connector for undici that checks addresses: it resolves the host once, checks every address, and connects
 * only to these. Resolving, connecting and TLS together take at most `timeoutMs`.
 *
 * @param options.opening collects a controller for each connection that is being opened; aborting it stops the attempt
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
    // Verification is explicit, because an environment variable of Node.js can turn off the default. TLS sessions are not cached,
    // because the certificate of a resumed session is not verified again.
    const settings = { signal, timeout: 0, rejectUnauthorized: true, maxCachedSessions: 0 };
    rejectOnAbort(signal, checkedAddresses(target.hostname, { policy, resolve }))
      .then((addresses) => connect(addresses, settings)(target, finish))
      .catch((error: Error) => finish(error, null));
  };
}

/** Returns the result of the work, or rejects with the signal's reason if it is aborted first. The work itself continues. */
function rejectOnAbort<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

async function checkedAddresses(
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

/** A name server that does not respond fails after about five seconds: the timeout, and a retry with twice the timeout. */
const QUERY = { timeout: 1_500, tries: 2 };

/**
 * Returns how to resolve host names. Public names are resolved by DNS queries: the system's lookups share a few threads with those of
 * the database and the image store, and a name server that does not respond would block them. If private addresses are allowed,
 * the system resolves names, with its hosts file and search domains.
 *
 * @param servers name servers to query instead of the system's, as `address:port`
 */
export function createResolver({ allowPrivate }: TargetPolicy, servers?: readonly string[]): Resolve {
  if (allowPrivate) return (hostname) => lookup(hostname, { all: true });
  return async (hostname) => {
    // Created for each lookup, because it reads the system's name servers once and they may change.
    const resolver = new Resolver(QUERY);
    if (servers) resolver.setServers(servers);
    const found = await Promise.all([
      addresses(4, resolver.resolve4(hostname)),
      addresses(6, resolver.resolve6(hostname)),
    ]);
    return found.flat();
  };
}

/** Returns no addresses for a family that has none, because many names have addresses of one family only. */
async function addresses(family: 4 | 6, lookup: Promise<string[]>) {
  return (await lookup.catch(() => [])).map((address) => ({ address, family }));
}
