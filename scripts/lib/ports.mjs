// Checks ports before long work, so that users don't wait to learn that one is in use.
import net from "node:net";
import { Failure } from "./progress.mjs";

/** Returns the failure that a port is in use. `setting` is the one that chooses it. */
export function portTaken(setting, port) {
  return new Failure(`port ${port} is in use. Stop the program that listens there, or set ${setting} to another port`);
}

/**
 * Fails if a program can't listen on a port. Checks several times, because a server whose npm was killed leaves the port a moment later.
 */
export async function requireFreePort(setting, port, host) {
  for (const last of [false, false, false, true]) {
    const error = await probe(port, host);
    if (!error) return;
    if (error.code !== "EADDRINUSE")
      throw new Failure(
        `can't listen on ${host}:${port} (${setting.replace("PORT", "HOST")}, ${setting}): ${error.message}`,
      );
    if (last) throw portTaken(setting, port);
    await new Promise((resolve) => setTimeout(resolve, 400));
  }
}

function probe(port, host) {
  return new Promise((resolve) => {
    const server = net.createServer();
    server.once("error", resolve);
    server.listen(port, host, () => server.close(() => resolve(null)));
  });
}
