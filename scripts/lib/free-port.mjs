// Ports of this machine for programs that start a moment later.
import net from "node:net";
import { Failure } from "./progress.mjs";

/** Below the ephemeral ports: an outgoing connection could take one of those before the program has started. */
const FIRST = 15_000;
const LAST = 30_999;
const ATTEMPTS = 100;
/** What this process was given, and need not be in use yet. */
const given = new Set();

/**
 * Finds a port of 127.0.0.1 that is free.
 *
 * @param {number} [preferred] the port to take if it is free
 * @returns {Promise<number>}
 */
export async function freePort(preferred) {
  if (preferred && (await isFree(preferred))) return preferred;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST + 1));
    if (given.has(port)) continue;
    given.add(port);
    if (await isFree(port)) return port;
  }
  throw new Failure(`no port between ${FIRST} and ${LAST} is free`);
}

function isFree(port) {
  return new Promise((resolve) => {
    const probe = net.createServer();
    probe.once("error", () => resolve(false));
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
  });
}
