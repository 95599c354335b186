import type http from "node:http";
import type { Socket } from "node:net";
import { addressGroup } from "./client-address";

/** Close idle connections from this share of the limit on, so that clients that hold many can't keep others out. */
const CROWDED_SHARE = 0.9;

/** Limits the connections of a server, in total and for each address. Idle connections are closed first. */
export function limitConnections(
  server: http.Server,
  { total, perAddress }: { total: number; perAddress: number | null },
): void {
  const held = new Map<string, number>();
  let open = 0;
  server.maxConnections = total;
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
    else if (open > total * CROWDED_SHARE) server.closeIdleConnections();
  });
}
