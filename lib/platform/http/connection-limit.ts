import type http from "node:http";
import type { Socket } from "node:net";
import { addressGroup } from "./client-address";

/**
 * Limits the connections a server holds, in all and for one address. Where it gets crowded, connections that are only kept alive
 * are closed first: whoever holds many open without asking for anything keeps nobody out.
 */
export function limitConnections(
  server: http.Server,
  { most, perAddress }: { most: number; perAddress: number | null },
): void {
  const held = new Map<string, number>();
  let open = 0;
  server.maxConnections = most;
  server.on("connection", (socket: Socket) => {
    open++;
    const address = addressGroup(socket.remoteAddress ?? "");
    const own = (held.get(address) ?? 0) + 1;
    held.set(address, own);
    socket.once("close", () => {
      open--;
      const left = (held.get(address) ?? 1) - 1;
      if (left > 0) held.set(address, left);
      else held.delete(address);
    });
    if (perAddress !== null && own > perAddress) socket.destroy();
    else if (open > most * CROWDED) server.closeIdleConnections();
  });
}

const CROWDED = 0.9;
